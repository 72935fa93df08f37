import { expect, it } from 'vitest'
import type { Informer } from '@machinist/kube/informer/informer'
import type { ConfigMap } from '@machinist/kube/kinds/core'
import type { FactsSource } from './cluster-facts.ts'
import { readFact } from './cluster-facts.ts'

const canary = 'canary-7d1f'

it.each([
  ['a map as a key', `status: {{httpProxy: ${canary}}: 1}`],
  ['a quote that does not end', `status:\n  httpProxy: "${canary}`],
  ['an alias without an anchor', `status: *${canary}`],
  ['an invalid token', `status: |${canary}`],
])('invalid facts are reported without quoting them: %s', async (_what, proxy) => {
  const configMap: ConfigMap = {
    metadata: { name: 'machinist-cluster', namespace: 'machinist' },
    data: { proxy },
  }
  const source: FactsSource = {
    configMap: { get: () => configMap } as unknown as Informer<ConfigMap>,
    controllerConfig: {} as FactsSource['controllerConfig'],
  }
  const warnings: Error[] = []
  const keep = (warning: Error): void => void warnings.push(warning)
  process.on('warning', keep)
  const read = readFact(source, 'proxy')
  // Warnings are emitted in a later turn.
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', keep)
  expect(read).toMatchObject({ type: 'invalid', problem: { reason: 'Unreadable' } })
  expect(JSON.stringify(read)).toMatch(/key proxy: not valid YAML: .+ at line \d, column \d+/)
  expect(JSON.stringify([read, warnings])).not.toContain(canary)
})
