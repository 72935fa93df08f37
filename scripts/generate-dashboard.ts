import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dashboard } from './dashboard/dashboard.ts'

/**
 * Generates deploy/monitoring/dashboard.yaml, which Grafana's sidecar finds by its label. With --check it writes nothing and fails if
 * the committed file is outdated.
 */
const file = join(import.meta.dirname, '../deploy/monitoring/dashboard.yaml')
const text = configMap(JSON.stringify(dashboard(), undefined, 2))

if (!process.argv.includes('--check')) writeFileSync(file, text)
else if (readFileSync(file, 'utf8') !== text) {
  console.error('Run `node scripts/generate-dashboard.ts` and commit the result.')
  process.exitCode = 1
}

function configMap(json: string): string {
  return [
    '# Written by scripts/generate-dashboard.ts. Grafana finds it by its label; elsewhere, import the JSON.',
    'apiVersion: v1',
    'kind: ConfigMap',
    'metadata:',
    '  name: machinist-dashboard',
    '  namespace: openshift-machine-config-operator',
    '  labels:',
    '    app.kubernetes.io/name: machinist',
    "    grafana_dashboard: '1'",
    'data:',
    '  machinist.json: |',
    ...json.split('\n').map((line) => `    ${line}`),
    '',
  ].join('\n')
}
