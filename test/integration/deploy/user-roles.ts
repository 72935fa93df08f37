import { expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { systemSecureRandom } from '@machinist/core/secure-random'
import { leases } from '@machinist/kube/kinds/coordination'
import { secrets } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { until } from '@machinist/testing/until'
import { trustRotations } from '../../../src/api/kinds/resources.ts'
import type { RotateRequest } from '../../../src/cli/commands/rotate/carry-out.ts'
import { carryOutRequest } from '../../../src/cli/commands/rotate/carry-out.ts'
import { jsonLines } from '../../../src/cli/commands/rotate/output.ts'
import { readPointer } from '../../../src/cli/commands/pointer/read-pointer.ts'
import {
  createToken,
  listTokens,
  revokeTokens,
} from '../../../src/cli/commands/token/token-secrets.ts'
import { pointerConfig } from '../../../src/fleet/provisioning/pointer.ts'
import { userDataKey } from '../../../src/fleet/provisioning/user-data-key.ts'
import { clientAs, requestsOf } from './scenario.ts'
import { runDocumentedCommands } from './documented.ts'
import { sendEveryRequest } from './every-request.ts'
import { namespace } from './identities.ts'
import { manifestsIn, rolesOf } from './manifests.ts'
import type { RecordedRequest } from './recorded-request.ts'
import { formatRequest } from './recorded-request.ts'
import type { Stage } from './stage.ts'
import { isAllowedToRun, unneededPermissions } from './unneeded-permissions.ts'

/** The roles for users, each on its own. Must be called after the components have stopped. */
export function userRoleCases(stage: () => Stage): void {
  const unneeded = (role: string, requests: readonly RecordedRequest[]): Promise<string[]> =>
    unneededPermissions(stage().client, rolesOf(role, manifestsIn('people')), { requests })

  it('machinist-view reads all kinds except those with pull secrets, and writes none', async () => {
    const sent = await sendEveryRequest(stage(), 'vera', 'machinist-view')
    expect(kindsIn(sent.filter(isReading).filter(isRefused))).toEqual([
      'controllerconfigs',
      'machineconfigs',
    ])
    expect(sent.filter((request) => !isReading(request) && !isRefused(request))).toEqual([])
    expect(await unneeded('machinist-view', sent)).toEqual([])
  })

  it('machinist-edit writes all kinds except those that components write', async () => {
    const sent = await sendEveryRequest(stage(), 'edda', 'machinist-edit')
    expect(kindsIn(sent.filter(isRefused))).toEqual([
      'controllerconfigs',
      'machineconfignodes',
      'machineosbuilds',
      'nodetrusts',
    ])
    expect(await unneeded('machinist-edit', sent)).toEqual([])
  })

  it('machinist-rotate allows machinist rotate, and nothing that the command does not need', async () => {
    await runDocumentedCommands(stage(), '## Who may do what')
    const client = clientAs(stage(), 'person jane')
    const key = { namespace, name: 'machinist-signer' }
    await until('the role is in effect', () => isAllowedToRun(() => client.get(leases, key)))
    const before = requestsOf(stage(), 'jane').length
    const sent = (): RecordedRequest[] => requestsOf(stage(), 'jane').slice(before)

    const [kubelets, serving] = ['kube-apiserver-to-kubelet', 'kube-apiserver-serving']
    const server = 'machine-config-server'
    const rotate = (
      request: Partial<RotateRequest>,
      stopped = async (): Promise<void> => {},
    ): Promise<void> =>
      carryOutRequest(
        { action: 'rotate', watch: false, dryRun: false, force: true, ...request },
        {
          client,
          clock: systemClock,
          output: jsonLines(
            () => {},
            () => 0,
          ),
          stopped,
          signerTimeouts: { checkAfterMs: 1, giveUpAfterMs: 1 },
        },
      )
    const watched = (): Promise<void> =>
      until('it watches all kinds', () => new Set(sent().filter(isWatching).map(kindOf)).size === 5)
    // Simulate a rotation in progress.
    const status = mergePatch({ status: { phase: 'Preparing' } })
    await stage().client.patch(trustRotations, { name: kubelets }, status, {
      subresource: 'status',
    })
    await rotate({ name: kubelets, action: 'status', watch: true }, watched)
    await rotate({ name: kubelets, action: { without: ['worker-0'] } })
    for (const name of [kubelets, serving, server]) {
      await expect(rotate({ name })).rejects.toThrow('no signer seems to run')
    }
    expect(sent().filter(isRefused)).toEqual([])
    expect(await unneeded('machinist-rotate', sent())).toEqual([])
  })

  provisioning(stage, unneeded)
}

/** Requires the bindings of the documented commands. */
function provisioning(
  stage: () => Stage,
  unneeded: (role: string, requests: readonly RecordedRequest[]) => Promise<string[]>,
): void {
  it('machinist-provision allows machinist token and machinist pointer, and nothing else', async () => {
    const client = clientAs(stage(), 'person john')
    await until('the role is in effect', () => isAllowedToRun(() => listTokens(client)))
    const before = requestsOf(stage(), 'john').length
    const metadata = { ...userDataKey('worker', 'machinist-provisioning') }
    const pointer = pointerConfig({ host: 'a', pool: 'worker', caBundle: new Uint8Array() })
    const data = { userData: Buffer.from(pointer).toString('base64') }
    await stage().client.create(secrets, { metadata, data })
    const now = systemClock.now()
    const request = { pool: 'worker', limits: {}, now, random: systemSecureRandom }
    const name = await createToken(client, request)
    expect(await readPointer(client, 'worker', { token: name })).toContain('"value":"Bearer ')
    await expect(readPointer(client, 'missing')).rejects.toThrow('pool missing not found')
    expect(await revokeTokens(client, 'worker', [name])).toEqual([name])
    await stage().client.remove(secrets, metadata)
    const sent = requestsOf(stage(), 'john').slice(before)
    // User data for machine sets is beside cloud credentials.
    expect(sent.filter(isRefused).map(formatRequest)).toEqual([
      'get secrets openshift-machine-api/worker-user-data-managed',
      'get secrets openshift-machine-api/missing-user-data-managed',
    ])
    expect(await unneeded('machinist-provision', sent)).toEqual([])
  })
}

const isRefused = ({ code }: RecordedRequest): boolean => code === 403
const isReading = ({ verb }: RecordedRequest): boolean => ['get', 'list', 'watch'].includes(verb)
const isWatching = ({ verb }: RecordedRequest): boolean => verb === 'watch'
const kindOf = ({ resource }: RecordedRequest): string => resource
const kindsIn = (requests: readonly RecordedRequest[]): string[] =>
  [...new Set(requests.map(kindOf))].sort()
