import { simulations } from './seeds.ts'

simulations(1, 250)
