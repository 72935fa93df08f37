import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '@machinist/core/errors'
import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import { configMaps, nodes, secrets, serviceAccounts } from '@machinist/kube/kinds/core'
import { coreEvents } from '@machinist/kube/kinds/events'
import { kinds } from '../../../src/api/definitions/kinds.ts'
import { clusterOperators } from '../../../src/api/openshift-config.ts'
import { runCerts } from '../../../src/cli/commands/certs/run-certs.ts'
import type { CertsOptions } from '../../../src/cli/commands/certs/certs.ts'
import type { WholeLane } from './whole-lane.ts'

/* Everything that a user without permission to read Secrets can read of a cluster. */

/** The output and the errors of `machinist certs`, in all formats. */
export async function certsOutput(lane: WholeLane, directory: string): Promise<string[]> {
  const reported: string[] = []
  const file = join(directory, 'kubeconfig')
  const server = { name: 'x', cluster: { server: lane.server.url } }
  const user = { name: 'x', user: { token: 'administrators-token' } }
  const context = { name: 'x', context: { cluster: 'x', user: 'x' } }
  const config = { clusters: [server], users: [user], contexts: [context], 'current-context': 'x' }
  writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'Config', ...config }))
  for (const output of ['text', 'json', 'yaml'] as const) {
    for (const more of [{}, { node: 'master-0' }, { node: 'nobody' }]) {
      const options: CertsOptions = {
        kubeconfig: file,
        output,
        check: true,
        days: 100_000,
        ...more,
      }
      await runCerts(options, {
        out: (text) => void reported.push(text),
        error: (text) => void reported.push(text),
        read: async () => new Uint8Array(),
        stopped: async () => {},
      }).catch((error: unknown) => reported.push(messageOf(error)))
    }
  }
  return reported
}

/** All objects of the API server, except those that contain secrets by design or in this test. */
export async function objectsIn(lane: WholeLane): Promise<string[]> {
  const places: readonly Resource[] = [
    ...kinds.map(({ resource }) => resource),
    coreEvents,
    nodes,
    configMaps,
    secrets,
    serviceAccounts,
    clusterOperators,
  ]
  const theirs = new Set(['user-ca-bundle', 'registry-cas', 'machinist-cluster'])
  const texts: string[] = []
  for (const place of places) {
    const { kind } = place
    for await (const object of lane.client.listAll(place)) {
      const { data, spec, ...rest } = object as KubeObject & { data?: unknown; spec?: unknown }
      const holdsSecrets =
        kind === 'Secret' ||
        kind === 'ControllerConfig' ||
        kind === 'MachineConfig' ||
        (kind === 'ConfigMap' && theirs.has(object.metadata.name))
      texts.push(JSON.stringify({ kind, ...rest, ...(!holdsSecrets && { data, spec }) }))
    }
  }
  return texts
}

export function filesIn(root: string): string[] {
  const found = readdirSync(root, { recursive: true, withFileTypes: true })
  return found.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name))
}
