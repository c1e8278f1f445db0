/**
 * Where the token of the server comes from:
 *
 *   new       each start makes one; the token file has it while the server runs
 *   keep      one is made at the first start, and stays in the token file
 *   file      an operator has put it into the token file, which is only read
 *   variable  the environment has it, and nothing is written
 */
export const tokenOrigins = ['new', 'keep', 'file', 'variable'] as const

export type TokenOrigin = (typeof tokenOrigins)[number]
