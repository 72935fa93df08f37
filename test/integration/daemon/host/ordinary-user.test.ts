import { afterAll, beforeAll, describe } from 'vitest'
import { hostContract } from './host-contract.ts'
import { sandboxSubject } from './subjects.ts'

const isRoot = process.geteuid?.() === 0

/** If the tests do not run as root, sandbox.test.ts covers this. */
describe.runIf(isRoot)('as an ordinary user', () => {
  beforeAll(() => {
    process.setegid?.(65534)
    process.seteuid?.(65534)
  })
  afterAll(() => {
    process.seteuid?.(0)
    process.setegid?.(0)
  })
  hostContract('a sandbox', () => sandboxSubject(true))
})
