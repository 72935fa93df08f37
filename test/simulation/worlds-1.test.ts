import { worlds } from './seeds.ts'

worlds(1, 250)
