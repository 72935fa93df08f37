import { describe } from 'vitest'
import { filesContract } from './files-contract.ts'
import { machineContract } from './machine-contract.ts'
import type { OpenSubject } from './subject.ts'
import { unitsContract } from './units-contract.ts'
import { watchContract } from './watch-contract.ts'

/** The behavior that the daemon requires of every host. The parts can be used separately. */
export function hostContract(name: string, open: OpenSubject): void {
  describe(`files of ${name}`, () => {
    filesContract(open)
  })
  describe(`watches of ${name}`, () => {
    watchContract(open)
  })
  describe(`units of ${name}`, () => {
    unitsContract(open)
  })
  describe(`${name} as a machine`, () => {
    machineContract(open)
  })
}
