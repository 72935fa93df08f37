import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { thrownBy } from '@machinist/testing/thrown-by'
import { HostFailure } from '../host-failure.ts'
import { idInStatus, idsInList, mountpointIn } from './crictl.ts'
import { readManifest } from './image-manifest.ts'

describe('the output of crictl', () => {
  it('lists images by digest, and ignores images without one', () => {
    const output = `{"images": [
      {"id": "sha256:1", "repoTags": ["quay.io/a:1"], "repoDigests": ["quay.io/a@sha256:2", "quay.io/b@sha256:3"], "pinned": true},
      {"id": "sha256:4", "repoTags": [], "repoDigests": [], "spec": null},
      {"id": "sha256:5"}]}`
    expect([...idsInList(output)]).toEqual([
      ['quay.io/a@sha256:2', 'sha256:1'],
      ['quay.io/b@sha256:3', 'sha256:1'],
    ])
    expect(() => idsInList('FATA[0000] …')).toThrow('cannot parse the output of crictl images')
  })

  it('contains the id of an inspected image', () => {
    expect(idInStatus('{"status": {"id": "sha256:1", "pinned": false}, "info": {}}')).toBe(
      'sha256:1',
    )
    for (const odd of ['', '{}', '{"status": null}', '{"status": {"id": 1}}']) {
      expect(() => idInStatus(odd)).toThrow('cannot parse the output of crictl inspecti')
    }
  })

  it.each([
    ['{"status": {"imageFilesystems": [{"fsId": {"mountpoint": "/a"}}]}}', '/a'],
    ['{"status": {"fsId": {"mountpoint": "/b"}}}', '/b'],
    ['{"status": {"imageFilesystems": []}}', undefined],
    ['{"status": null}', undefined],
    ['{}', undefined],
  ])('%s: the mount point of images is %s', (output, mountpoint) => {
    expect(mountpointIn(output)).toBe(mountpoint)
  })

  it('may be any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        for (const read of [idsInList, idInStatus, mountpointIn]) {
          expect(thrownBy(() => read(text)) ?? new HostFailure('none', '')).toBeInstanceOf(
            HostFailure,
          )
        }
        expect(() => readManifest(text, 'x86_64')).not.toThrow()
      }),
      { numRuns: 200 },
    )
  })
})
