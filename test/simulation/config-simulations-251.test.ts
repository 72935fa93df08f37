import { simulations } from './seeds.ts'

simulations(251, 500)
