import { describe, expect, inject, it } from 'vitest'

/** The directory with the trees that machines boot from, or the reason why there is none. */
export type HostTools = { readonly directory: string } | { readonly missing: string }

declare module 'vitest' {
  interface ProvidedContext {
    hostTools: HostTools | undefined
  }
}

/** A suite that boots machines. */
export function describeOnMachines(name: string, suite: (directory: string) => void): void {
  const tools = inject('hostTools') ?? { missing: 'run scripts/host-tests.sh' }
  describe.for([name])('%s', () => {
    if ('directory' in tools) return suite(tools.directory)
    it('needs containers', ({ skip }) => {
      expect(tools.missing).not.toBe('')
      skip(tools.missing)
    })
  })
}
