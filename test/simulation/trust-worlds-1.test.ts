import { trustWorlds } from './seeds.ts'

trustWorlds(1, 250)
