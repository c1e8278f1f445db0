import t from 'tap'
import { testProperties } from './fuzz-property.ts'
import { listProperties } from './list-properties.ts'
import { protocolProperties } from './protocol-properties.ts'
import { sealedProperties } from './sealed-properties.ts'

testProperties(t, [...protocolProperties, ...listProperties, ...sealedProperties])
