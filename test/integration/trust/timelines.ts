import { expect, it } from 'vitest'
import { coreEvents } from '@machinist/kube/kinds/events'
import { nodeTrusts } from '../../../src/api/kinds/resources.ts'
import { base64 } from '../daemon/trust/certificates.ts'
import type { Reached } from './cluster.ts'
import { directCases } from './direct.cases.ts'
import { tokenCanary } from './node.ts'
import { renderedCases } from './rendered.cases.ts'
import { alike, kubeconfigs, names, Story } from './story.ts'

/** Whole rotations from the source to the disk, for the embedded and for a real API server. */
export function trustTimelines(
  reach: () => Promise<Reached>,
  more: (story: Story) => void = () => {},
): void {
  const story = new Story(reach)
  const { isUpdated, pulseIsOver, apiServerCA, state } = story

  it('an installation delivers the CA of the API server and causes no restart', async () => {
    const { cluster } = story
    await isUpdated('master')
    await isUpdated('worker')
    await pulseIsOver()
    await cluster.calm()
    expect(await apiServerCA()).toBe(story.apiCA)
    // The first ControllerConfig may be without a CA.
    expect(cluster.history.pulses.join(' ')).toMatch(/^(false )?true false$/)
    expect(await cluster.each((node) => node.actions)).toEqual(alike(names, []))
    expect(await cluster.each((node) => node.apiServerCAs())).toEqual(
      alike(names, [story.apiCA, story.apiCA]),
    )
    const writes = await cluster.each(({ written }) =>
      written.filter((path) => kubeconfigs.includes(path)),
    )
    expect(writes).toEqual(alike(names, []))
    expect(await state('api-server-ca')).toEqual(alike(names, 'Current'))
  })

  renderedCases(story)
  directCases(story)
  more(story)

  it('no report of all cases contains a secret', async () => {
    const { cluster } = story
    const all = [
      JSON.stringify(await Array.fromAsync(cluster.client.listAll(coreEvents))),
      JSON.stringify(await Array.fromAsync(cluster.client.listAll(nodeTrusts))),
      JSON.stringify(await cluster.controllerConfig()),
      cluster.logged,
      cluster.metrics.text(),
    ].join('\n')
    expect(all).toContain('Certificate was synced from controllerconfig')
    const secrets = [tokenCanary, base64(tokenCanary), base64('machinist:example')]
    expect(secrets.filter((secret) => all.includes(secret))).toEqual([])
  })
}
