import { describeStore } from '../../../test/apiserver/store/store-contract.ts'
import { silentLogger } from '../../base/log.ts'
import { MemoryStore } from './memory-store.ts'

describeStore('memory', (clock, history) => ({
  store: new MemoryStore({ clock, log: silentLogger, history }),
}))
