import { z } from 'zod'
import { faultSettings } from './faults.ts'

/** Virtual phones of one gateway: those of the settings, and those that operators add. */
export const mostPhones = 200
const countSchema = z.int().min(0).max(mostPhones).default(1)

/** Virtual phones: how many there are, what is on them, what goes wrong with them. */
export const virtualSettings = z.strictObject({
  android: countSchema.describe(`Number of virtual Android phones. With the virtual iPhones, ${mostPhones} at most.`),
  ios: countSchema.describe(`Number of virtual iPhones. With the virtual Android phones, ${mostPhones} at most.`),
  appsFolder: z.string().min(1).optional()
    .describe('Folder with app files (`.yaml`) of your own for the virtual phones. One with the id of an app that comes with mooring takes its place.'),
  installs: z.enum(['definitions', 'known']).default('definitions')
    .describe('What holders may install: any app whose definition they send, or only apps from the folders by their ids. An app is data and runs no code, but a big one can keep the process busy for a moment; choose `known` where strangers hold phones.'),
  faults: faultSettings.prefault({})
}).refine(({ android, ios }) => android + ios <= mostPhones, {
  path: ['ios'], error: `android and ios must be ${mostPhones} together at most`
})

export type VirtualSettings = Readonly<z.output<typeof virtualSettings>>
