import { trustSimulations } from './seeds.ts'

trustSimulations(251, 500)
