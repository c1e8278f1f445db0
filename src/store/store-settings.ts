import { z } from 'zod'

const storeUrl = z.string().refine(isPostgresUrl, {
  // Leaves the value out: it is likely to have a password in it.
  error: 'is no address of a Postgres database; write it like postgres://user@host:5432/database'
})

/** Where leases are kept. */
export const storeSettings = z.strictObject({
  url: storeUrl.optional()
    .meta({ writeOnly: true })
    .describe('Address of a Postgres database to keep leases in, for example postgres://mooring@db.example/mooring; without it, they are kept in a SQLite file in stateDir. One gateway has the database to itself. A password in it is better set as the variable than as the flag, which other users of the machine can see; better still, leave it out and use PGPASSWORD or ~/.pgpass.')
})

export type StoreSettings = Readonly<z.output<typeof storeSettings>>

function isPostgresUrl (value: string): boolean {
  // Without a host it means a socket of this machine, with a user as without one.
  return /^postgres(?:ql)?:\/\//.test(value) && URL.canParse(value.replace('@/', '@localhost/'))
}
