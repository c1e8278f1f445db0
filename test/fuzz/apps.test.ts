import t from 'tap'
import { appProperties } from './app-properties.ts'
import { testProperties } from './fuzz-property.ts'

testProperties(t, appProperties)
