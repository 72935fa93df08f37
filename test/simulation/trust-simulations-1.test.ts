import { trustSimulations } from './seeds.ts'

trustSimulations(1, 250)
