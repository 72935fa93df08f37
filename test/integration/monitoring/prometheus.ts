import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseYamlDocuments, toYaml } from '@machinist/core/encoding/yaml'
import type { ChildProcesses } from '@machinist/testing/processes/child-processes'
import { until } from '@machinist/testing/until'
import { folder, ruleFiles } from './rule-files.ts'

/** A scrape target, configured as the ServiceMonitor of this name. */
export interface Target {
  readonly monitor: string
  readonly address: string
  /** Target labels that service discovery would set. */
  readonly labels: Readonly<Record<string, string>>
}

export interface Prometheus {
  /** `up` or the error, by job. */
  readonly targets: () => Promise<Readonly<Record<string, string>>>
  /** `inactive`, `pending`, `firing`, or the error, by alert; empty until all rules were evaluated. */
  readonly alerts: () => Promise<Readonly<Record<string, string>>>
}

/** Starts a real Prometheus with all rules. It uses static targets and a token file, without service discovery. */
export async function startPrometheus(
  children: ChildProcesses,
  program: string,
  directory: string,
  { targets, tokenFile }: { readonly targets: readonly Target[]; readonly tokenFile: string },
): Promise<Prometheus> {
  mkdirSync(directory)
  const at = (name: string): string => join(directory, name)
  for (const { name, spec } of ruleFiles()) writeFileSync(at(`${name}-rules.yaml`), toYaml(spec))
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [at('*-rules.yaml')],
    scrape_configs: targets.map((target) => scrapeConfig(target, tokenFile)),
  }
  writeFileSync(at('prometheus.yml'), toYaml(config))
  children.start('prometheus', program, [
    `--config.file=${at('prometheus.yml')}`,
    `--storage.tsdb.path=${at('data')}`,
    '--web.listen-address=127.0.0.1:0',
  ])
  const address = (): string | undefined =>
    /msg="Listening on" address=(\S+)/.exec(children.logTail('prometheus', 100))?.[1]
  await until('Prometheus is ready', async () => {
    return address() !== undefined && (await fetch(`http://${address()}/-/ready`)).ok
  })
  const query = async <T>(what: string): Promise<T> => {
    const answer = await fetch(`http://${address()}/api/v1/${what}`)
    return ((await answer.json()) as { data: T }).data
  }
  return {
    targets: async () => {
      const { activeTargets } = await query<{ activeTargets: ActiveTarget[] }>('targets')
      return Object.fromEntries(
        activeTargets.map(({ labels, health, lastError }) => [labels['job'], lastError || health]),
      )
    },
    alerts: async () => {
      const { groups } = await query<{ groups: { rules: EvaluatedRule[] }[] }>('rules')
      const rules = groups.flatMap((group) => group.rules)
      if (rules.some(({ health }) => health === 'unknown')) return {}
      return Object.fromEntries(
        rules.map(({ name, state, lastError }) => [name, lastError ?? state]),
      )
    },
  }
}

interface ActiveTarget {
  readonly labels: Readonly<Record<string, string>>
  readonly health: string
  readonly lastError: string
}

interface EvaluatedRule {
  readonly name: string
  readonly state: string
  readonly health: string
  readonly lastError?: string
}

interface Endpoint {
  readonly honorLabels?: boolean
  readonly scheme?: string
  readonly bearerTokenFile?: string
  readonly tlsConfig?: { readonly insecureSkipVerify?: boolean }
}

interface ServiceMonitor {
  readonly metadata: { readonly name: string }
  readonly spec: { readonly endpoints: readonly [Endpoint] }
}

/** The scrape config that the Prometheus operator generates. */
function scrapeConfig({ monitor, address, labels }: Target, tokenFile: string): object {
  const file = join(folder, 'monitors.yaml')
  const monitors = parseYamlDocuments(readFileSync(file, 'utf8'), file) as ServiceMonitor[]
  const [endpoint] = monitors.find(({ metadata }) => metadata.name === monitor)!.spec.endpoints
  const { honorLabels, scheme, bearerTokenFile, tlsConfig } = endpoint
  return {
    job_name: `${monitor} at ${address}`,
    honor_labels: honorLabels,
    scheme,
    authorization: bearerTokenFile === undefined ? undefined : { credentials_file: tokenFile },
    tls_config: tlsConfig && { insecure_skip_verify: tlsConfig.insecureSkipVerify },
    static_configs: [{ targets: [address], labels }],
  }
}
