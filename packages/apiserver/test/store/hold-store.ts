import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { openSqliteStore } from '../../src/store/sqlite-store.ts'

/** Keeps a store open until the process is killed. */
const store = openSqliteStore({
  directory: process.argv[2]!,
  clock: systemClock,
  log: silentLogger,
})
await store.write('/held', '1', 0)
process.stdout.write('held\n')
setInterval(() => {}, 60_000)
