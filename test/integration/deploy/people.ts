import { expect, it } from 'vitest'
import { trustRotations } from '../../../src/api/resources.ts'
import { systemClock } from '@machinist/core/clock'
import type { Wish } from '../../../src/cli/rotate/conduct.ts'
import { conduct } from '../../../src/cli/rotate/conduct.ts'
import { jsonLines } from '../../../src/cli/rotate/output.ts'
import { leases } from '@machinist/kube/kinds/coordination'
import { mergePatch } from '@machinist/kube/patch'
import { until } from '@machinist/testing/until'
import { clientAs, requestsOf } from './deed.ts'
import { asWritten } from './documented.ts'
import { everyWay } from './every-way.ts'
import { namespace } from './identities.ts'
import { manifestsIn, rolesOf } from './manifests.ts'
import type { Recorded } from './recorded.ts'
import type { Stage } from './stage.ts'
import { isLet, superfluous } from './superfluous.ts'

/** The roles for people, each without any other. To be called when the components have ended. */
export function peopleCases(stage: () => Stage): void {
  const needless = (role: string, requests: readonly Recorded[]): Promise<string[]> =>
    superfluous(stage().client, rolesOf(role, manifestsIn('people')), { requests })

  it('who may view sees all kinds but those with pull secrets in them, and writes none', async () => {
    const asked = await everyWay(stage(), 'vera', 'machinist-view')
    expect(kindsIn(asked.filter(isReading).filter(isRefused))).toEqual([
      'controllerconfigs',
      'machineconfigs',
    ])
    expect(asked.filter((request) => !isReading(request) && !isRefused(request))).toEqual([])
    expect(await needless('machinist-view', asked)).toEqual([])
  })

  it('who may edit writes all kinds but those that components write', async () => {
    const asked = await everyWay(stage(), 'edda', 'machinist-edit')
    expect(kindsIn(asked.filter(isRefused))).toEqual([
      'controllerconfigs',
      'machineconfignodes',
      'machineosbuilds',
      'nodetrusts',
    ])
    expect(await needless('machinist-edit', asked)).toEqual([])
  })

  it('who may rotate does it with machinist rotate, and can do nothing that it does not do', async () => {
    await asWritten(stage(), '## Who may do what')
    const client = clientAs(stage(), 'person jane')
    const key = { namespace, name: 'machinist-signer' }
    await until('it counts', () => isLet(() => client.get(leases, key)))
    const before = requestsOf(stage(), 'jane').length
    const asked = (): Recorded[] => requestsOf(stage(), 'jane').slice(before)

    const [kubelets, serving] = ['kube-apiserver-to-kubelet', 'kube-apiserver-serving']
    const rotate = (wish: Partial<Wish>, stopped = async (): Promise<void> => {}): Promise<void> =>
      conduct(
        { does: 'rotate', watch: false, dryRun: false, force: true, ...wish },
        {
          client,
          clock: systemClock,
          output: jsonLines(
            () => {},
            () => 0,
          ),
          stopped,
          patience: { firstMs: 1, lastMs: 1 },
        },
      )
    const watched = (): Promise<void> =>
      until('it watches all', () => new Set(asked().filter(isWatching).map(kindOf)).size === 5)
    // As if one were under way.
    const status = mergePatch({ status: { phase: 'Preparing' } })
    await stage().client.patch(trustRotations, { name: kubelets }, status, {
      subresource: 'status',
    })
    await rotate({ name: kubelets, does: 'status', watch: true }, watched)
    await rotate({ name: kubelets, does: { without: ['worker-0'] } })
    for (const name of [kubelets, serving]) {
      await expect(rotate({ name })).rejects.toThrow('no signer seems to run')
    }
    expect(asked().filter(isRefused)).toEqual([])
    expect(await needless('machinist-rotate', asked())).toEqual([])
  })
}

const isRefused = ({ code }: Recorded): boolean => code === 403
const isReading = ({ verb }: Recorded): boolean => ['get', 'list', 'watch'].includes(verb)
const isWatching = ({ verb }: Recorded): boolean => verb === 'watch'
const kindOf = ({ resource }: Recorded): string => resource
const kindsIn = (requests: readonly Recorded[]): string[] =>
  [...new Set(requests.map(kindOf))].sort()
