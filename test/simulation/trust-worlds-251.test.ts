import { trustWorlds } from './seeds.ts'

trustWorlds(251, 500)
