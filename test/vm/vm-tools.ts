import { describe, expect, inject, it } from 'vitest'

/** The directory with the disk that machines start from, or the reason why there is none. */
export type VmTools = { readonly directory: string } | { readonly missing: string }

declare module 'vitest' {
  interface ProvidedContext {
    vmTools: VmTools | undefined
  }
}

/** A suite that starts virtual machines. */
export function describeOnVirtualMachines(name: string, suite: (directory: string) => void): void {
  const tools = inject('vmTools') ?? { missing: 'run scripts/vm-test.sh' }
  describe.for([name])('%s', () => {
    if ('directory' in tools) return suite(tools.directory)
    it('needs virtual machines', ({ skip }) => {
      expect(tools.missing).not.toBe('')
      skip(tools.missing)
    })
  })
}
