import { join } from 'node:path'
import type { Stage } from './conformance.ts'

const directory = join(import.meta.dirname, '../../../../deploy/crds')
const ours = 'openshift.io/operator-managed'
const installed = new Map<string, Promise<void>>()

/** Installs the CRDs of Machinist; once per file of cases, and idempotent. */
export function withOurDefinitions({ target, kubectl }: Stage): Promise<void> {
  const before = installed.get(target.server)
  if (before) return before
  const now = install(kubectl)
  installed.set(target.server, now)
  return now
}

async function install(kubectl: Stage['kubectl']): Promise<void> {
  const steps = [
    ['apply', '--server-side', '-k', directory],
    ['wait', '--for=condition=Established', '--timeout=30s', 'crd', '--selector', ours],
  ]
  for (const step of steps) {
    const { code, stderr } = await kubectl(...step)
    if (code !== 0) throw new Error(`our CRDs: kubectl ${step[0]}: ${stderr}`)
  }
}

export function pool(name: string, spec: object = {}): object {
  return {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfigPool',
    metadata: { name },
    spec: {
      machineConfigSelector: {
        matchLabels: { 'machineconfiguration.openshift.io/role': 'worker' },
      },
      ...spec,
    },
  }
}
