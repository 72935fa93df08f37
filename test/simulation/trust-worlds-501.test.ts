import { trustWorlds } from './seeds.ts'

trustWorlds(501, 1000)
