import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { messageOf } from '@machinist/core/errors'
import { customResourceDefinitions } from '@machinist/kube/kinds/apiextensions'
import { imageDigestMirrorSets } from '../../../src/api/openshift-config.ts'
import { installLooseKinds } from '../../../src/api/definitions/definitions.fixture.ts'
import type { Stage } from './stage.ts'
import { folder } from './stage.ts'

const all = ['-k', folder('image-registries')]
const example = join(import.meta.dirname, '../../../examples/image-mirrors.yaml')
const bad = join(import.meta.dirname, '../api/examples/image-digest-mirror-set/invalid')
const name = 'imagedigestmirrorsets.config.openshift.io'

/** deploy/image-registries, for clusters without these kinds. */
export function imageRegistryCases(stage: () => Stage): void {
  const output = (...args: string[]): Promise<string> =>
    stage()
      .kubectl(...args)
      .catch(messageOf)

  it('changes nothing where another manager owns such a definition', async () => {
    const { client } = stage()
    await installLooseKinds(client, [imageDigestMirrorSets])
    const { metadata } = await client.get(customResourceDefinitions, { name })
    const refused = await output('apply', '--server-side', ...all)
    expect(refused).toMatch(/Apply failed with \d+ conflicts?: conflicts? with/)
    const now = await client.get(customResourceDefinitions, { name })
    expect(now.metadata.generation).toBe(metadata.generation)
    await output('delete', ...all, '--ignore-not-found')
  })

  it('is applied by client-side and server-side apply, and accepts the example', async () => {
    const ends = async (end: string, ...how: string[]): Promise<boolean> =>
      (await output('apply', ...how, ...all)).split('\n').every((line) => line.endsWith(end))
    expect(await ends(' created')).toBe(true)
    await output('delete', ...all)
    expect(await ends(' serverside-applied', '--server-side')).toBe(true)
    await output('wait', '--for=condition=Established', '--timeout=60s', `crd/${name}`)
    expect(await output('apply', '-f', example)).toBe(
      'imagedigestmirrorset.config.openshift.io/team created\nimage.config.openshift.io/cluster created',
    )
    expect(await output('get', 'idms', '-o', 'name')).toBe(
      'imagedigestmirrorset.config.openshift.io/team',
    )
  })

  it.each([
    ['mirror-with-blank', /spec\.imageDigestMirrors\[0\]\.mirrors\[0\] in body should match/],
    ['never-but-itself', /NeverContactSource needs mirrors, and the source must not be one of/],
  ])('rejects settings that no node can use: %s', async (file, why) => {
    expect(await output('apply', '-f', join(bad, `${file}.yaml`))).toMatch(why)
  })
}

/** An installation on OpenShift must not include this folder by accident. */
export function isReferredToByNothing(): void {
  it('is referred to by no other kustomization', () => {
    const others = globSync('**/kustomization.yaml', { cwd: folder('') }).filter(
      (file) => !file.startsWith('image-registries'),
    )
    expect(others).toContain('kustomization.yaml')
    const referring = others.filter((file) =>
      readFileSync(join(folder(''), file), 'utf8').includes('image-registries'),
    )
    expect(referring).toEqual([])
  })
}
