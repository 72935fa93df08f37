import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { parseYaml, toYaml } from '@machinist/core/encoding/yaml'
import { manifestsIn } from '../deploy/manifests.ts'
import { findProgram, promtool } from './promtool.ts'
import { root } from './rule-files.ts'

const directory = mkdtempSync(join(tmpdir(), 'machinist-monitoring-'))
afterAll(() => rmSync(directory, { recursive: true }))

interface Port {
  readonly name: string
  readonly containerPort?: number
  readonly targetPort?: string
}
interface Container {
  readonly args: readonly string[]
  readonly ports: readonly Port[]
}
interface Served {
  readonly port: Port
  readonly args: readonly string[]
}
interface Spec {
  readonly selector: {
    readonly matchLabels?: Readonly<Record<string, string>>
    readonly matchExpressions?: readonly { readonly values: readonly string[] }[]
  }
  readonly ports: readonly Port[]
  readonly endpoints: readonly { readonly port: string; readonly tlsConfig?: object }[]
  readonly template: {
    readonly metadata: { readonly labels: Readonly<Record<string, string>> }
    readonly spec: { readonly containers: readonly Container[] }
  }
}

describe('deploy/ with monitoring-openshift', () => {
  const manifests = [...manifestsIn('.'), ...manifestsIn('monitoring-openshift')]
  const specs = (kind: string): Map<string, Spec> =>
    new Map(
      manifests
        .filter((each) => each.kind === kind)
        .map((each) => [each.metadata.name, (each as unknown as { spec: Spec }).spec]),
    )
  const monitors = specs('ServiceMonitor')
  const services = specs('Service')

  /** Workloads that do not serve metrics where the monitor scrapes. */
  function unserved(names: readonly string[], kind: string, desired: Served): string[] {
    const workloads = specs(kind)
    return names.filter((name) => {
      const [container] = workloads.get(name)?.template.spec.containers ?? []
      const port = services.get(name)?.ports.find((each) => each.name === 'metrics')
      const isOpen = container?.ports.some((each) => isDeepStrictEqual(each, desired.port))
      const isServed = desired.args.every((arg) => container?.args.includes(arg))
      return port?.targetPort !== 'metrics' || !isOpen || !isServed
    })
  }

  it('has components that serve metrics where the monitor scrapes', () => {
    const { selector, endpoints } = monitors.get('machinist')!
    const names = selector.matchExpressions![0]!.values
    expect(endpoints).toEqual([{ port: 'metrics', interval: '30s', honorLabels: true }])
    expect(names.toSorted()).toEqual([...specs('Deployment').keys()].toSorted())
    const port = { name: 'metrics', containerPort: 8797 }
    expect(unserved(names, 'Deployment', { port, args: ['--metrics-listen=:8797'] })).toEqual([])
  })

  it.each([
    ['machine-config-daemon', 9001, '--metrics=:9001'],
    ['machine-config-server', 9002, '--metrics-listen=:9002'],
  ])('has pods of %s that serve metrics over TLS, with the expected certificate', (...given) => {
    const [name, containerPort, listens] = given
    const { selector, endpoints } = monitors.get(name)!
    expect(selector.matchLabels).toEqual({ 'k8s-app': name })
    expect(endpoints).toMatchObject([
      {
        port: 'metrics',
        scheme: 'https',
        honorLabels: true,
        tlsConfig: { serverName: `${name}.openshift-machine-config-operator.svc` },
      },
    ])
    expect(endpoints[0]!.tlsConfig).not.toHaveProperty('insecureSkipVerify')
    const port = { name: 'metrics', containerPort }
    const args = [listens, '--secure-metrics=/etc/machinist/metrics-tls']
    expect(unserved([name], 'DaemonSet', { port, args })).toEqual([])
  })
})

it('Prometheus accepts the configuration in docs/monitoring.md', async ({ skip }) => {
  const { program, reason } = await findProgram('promtool')
  if (program === undefined) return skip(`not checked by promtool: ${reason}`)
  const page = readFileSync(join(root, 'docs/monitoring.md'), 'utf8')
  const [, text] = /^```yaml\n(rule_files:[^`]*)```$/m.exec(page)!
  const config = parseYaml(text!, 'docs/monitoring.md') as { scrape_configs: object[] }
  // Debian's promtool is built without Kubernetes service discovery.
  const places = { kubernetes_sd_configs: undefined, static_configs: [{ targets: ['n:8797'] }] }
  const scrape_configs = config.scrape_configs.map((each) => ({ ...each, ...places }))
  const file = join(directory, 'prometheus.yml')
  writeFileSync(file, toYaml({ ...config, scrape_configs }))
  const { ok, output } = await promtool(program, 'check', 'config', '--syntax-only', file)
  expect(output).toContain('is valid prometheus config file syntax')
  expect(ok).toBe(true)
})
