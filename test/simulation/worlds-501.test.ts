import { worlds } from './seeds.ts'

worlds(501, 1000)
