import t from 'tap'
import { deviceProperties } from './device-properties.ts'
import { testProperties } from './fuzz-property.ts'

testProperties(t, await deviceProperties(t))
