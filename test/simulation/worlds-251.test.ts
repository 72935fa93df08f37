import { worlds } from './seeds.ts'

worlds(251, 500)
