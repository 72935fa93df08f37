import { silentLogger } from '@machinist/core/log'
import { describeStore } from '../../test/store/store-contract.ts'
import { MemoryStore } from './memory-store.ts'

describeStore('memory', (clock, history) => ({
  store: new MemoryStore({ clock, log: silentLogger, history }),
}))
