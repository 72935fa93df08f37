import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { ControllerConfig } from '../../../../src/api/kinds/resources.ts'
import { exampleControllerConfig } from '../support/example-controller-config.ts'
import { filesOf, rendered, unitsOf } from './rendered.ts'

const plain = exampleControllerConfig('plain-kubernetes')
const withContainerd: ControllerConfig = {
  ...plain,
  metadata: {
    ...plain.metadata,
    annotations: { 'machinist.dev/container-runtime': 'containerd' },
  },
}

/** The lines of a section of a unit. */
function section(config: ControllerConfig, unit: string, name: string): string[] {
  const parts = rendered(config).get('worker')!
  const { contents = '' } = unitsOf(parts).find((each) => each.name === unit)!
  const text = contents.split(`[${name}]\n`)[1]!.split(/^\[/m)[0]!
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}

const pull = 'machine-config-daemon-pull.service'
const firstBoot = 'machine-config-daemon-firstboot.service'

describe('the units of the first boot', () => {
  it.each([
    ['CRI-O', plain, 'kubelet-dependencies.target kubelet.service crio.service'],
    ['containerd', withContainerd, 'kubelet-dependencies.target kubelet.service'],
  ])(
    'run before the kubelet, and only until the first boot is complete: %s',
    (_, config, before) => {
      expect(section(config, firstBoot, 'Unit')).toEqual([
        'Description=First boot of this machine: the operating system of its config',
        'ConditionPathExists=/etc/ignition-machine-config-encapsulated.json',
        'ConditionPathExists=|/etc/machinist/first-boot.env',
        'ConditionPathExists=|/etc/machinist/image.env',
        'ConditionPathExists=|/opt/machinist/bin/machinist',
        'After=machine-config-daemon-pull.service',
        `Before=${before}`,
      ])
      expect(section(config, pull, 'Unit')).toContain(
        'ConditionPathExists=/etc/ignition-machine-config-encapsulated.json',
      )
      expect(section(config, 'kubelet.service', 'Unit')).toEqual(
        expect.arrayContaining([
          'Requires=kubelet-dependencies.target',
          'After=kubelet-dependencies.target',
        ]),
      )
    },
  )

  it('are required by the kubelet, and the image by the first boot', () => {
    expect(section(plain, firstBoot, 'Install')).toEqual(['RequiredBy=kubelet-dependencies.target'])
    expect(section(plain, pull, 'Install')).toEqual([`RequiredBy=${firstBoot}`])
    const enabled = unitsOf(rendered(plain).get('worker')!).filter((unit) => unit.enabled)
    expect(enabled.map(({ name }) => name)).toEqual([firstBoot, pull, 'kubelet.service'])
  })

  it('pull with the runtime of the machine', () => {
    expect(section(plain, pull, 'Unit')).toContain('After=crio-wipe.service')
    expect(section(withContainerd, pull, 'Unit')).toEqual(
      expect.arrayContaining(['Wants=containerd.service', 'After=containerd.service']),
    )
  })

  it('do not depend on the image of the daemon, so that another image changes no node', () => {
    const images = { machinistDaemon: 'registry.example.com/machinist-daemon:2' }
    const other = { ...plain, spec: { ...plain.spec, images } }
    expect(rendered(other).get('worker')).toEqual(rendered(plain).get('worker'))
  })
})

describe('first-boot.sh', () => {
  const directory = mkdtempSync(join(tmpdir(), 'machinist-first-boot-sh-'))
  afterAll(() => rmSync(directory, { recursive: true }))
  let machine: string

  beforeEach(() => {
    machine = mkdtempSync(join(directory, 'machine-'))
    mkdirSync(join(machine, 'bin'))
    // Only these, because the machine that runs the test may have a podman.
    const tools = 'base64 basename cut grep sed sh sleep timeout wc'.split(' ')
    for (const tool of tools) symlinkSync(`/usr/bin/${tool}`, join(machine, 'bin', tool))
  })

  /** A program that records its arguments, then runs `body`. */
  const install = (path: string, body = ''): void => {
    const record = `echo "$(basename "$0") $*" >> ${machine}/calls`
    writeFileSync(join(machine, path), `#!/bin/sh\n${record}\n${body}\n`, { mode: 0o755 })
  }

  const ran = (command: 'pull' | 'run', image = 'registry.example.com/machinist-daemon:1') => {
    const { text } = filesOf(rendered(plain).get('worker')!).get('/etc/machinist/first-boot.sh')!
    const script = text
      .replace('/opt/machinist/bin/machinist', `${machine}/machinist`)
      .replace('/var/lib/kubelet/config.json', `${machine}/config.json`)
      .replaceAll('/etc/containerd/certs.d', `${machine}/certs.d`)
    const env = { PATH: `${machine}/bin`, IMAGE: image, RETRY_SECONDS: '0' }
    const { status, stderr } = spawnSync('/bin/sh', ['-c', script, 'first-boot.sh', command], {
      env,
      encoding: 'utf8',
      timeout: 30_000,
    })
    const calls = readFileSync(join(machine, 'calls'), 'utf8').trimEnd().split('\n')
    return { status, stderr, calls }
  }

  it('pulls with podman and the pull secret, until it succeeds', () => {
    writeFileSync(join(machine, 'config.json'), '{}')
    install('bin/podman', `[ "$1" = pull ] && [ $(grep -c pull ${machine}/calls) -ge 3 ]`)
    const pulled = `podman pull --quiet --authfile=${machine}/config.json registry.example.com/machinist-daemon:1`
    const asked = 'podman image exists registry.example.com/machinist-daemon:1'
    expect(ran('pull')).toEqual({
      status: 0,
      stderr: 'first-boot: pull failed, retrying in 0 seconds\n'.repeat(2),
      calls: [asked, pulled, asked, pulled, asked, pulled],
    })
  })

  it('does not use the network if the image is there', () => {
    install('bin/podman')
    expect(ran('pull').calls).toEqual([
      'podman image exists registry.example.com/machinist-daemon:1',
    ])
  })

  it('runs the image with podman as the DaemonSet does', () => {
    install('bin/podman')
    expect(ran('run')).toEqual({
      status: 0,
      stderr: '',
      calls: [
        'podman run --rm --replace --name=machinist-first-boot --privileged --net=host --pid=host --volume=/:/rootfs:rslave registry.example.com/machinist-daemon:1 daemon first-boot --root=/rootfs',
      ],
    })
  })

  it('runs an installed program without a container, until it succeeds', () => {
    install('machinist', `[ $(wc -l < ${machine}/calls) -ge 2 ]`)
    expect(ran('run')).toEqual({
      status: 0,
      stderr: 'first-boot: run failed, retrying in 0 seconds\n',
      calls: ['machinist daemon first-boot', 'machinist daemon first-boot'],
    })
  })

  it.each([
    ['registry.example.com:5000/a/machinist-daemon:1', '--user=user:pass:word '],
    ['quay.example/machinist-daemon@sha256:00', ''],
    ['machinist-daemon:1', '', 'docker.io/library/machinist-daemon:1'],
    ['machinist/daemon:1', '', 'docker.io/machinist/daemon:1'],
    ['localhost/daemon:1', ''],
  ])('pulls %s with ctr, and its credentials', (image, user, reference = image) => {
    const auth = Buffer.from('user:pass:word').toString('base64')
    const auths = {
      'registryxexample.com:5000': { auth: 'bm8=' },
      'registry.example.com:5000': { email: 'a@b.c', auth },
      'registry.example.com': { auth: 'bm8=' },
    }
    writeFileSync(join(machine, 'config.json'), `${JSON.stringify({ auths })}\n`)
    install('bin/ctr')
    expect(ran('pull', image)).toEqual({
      status: 0,
      stderr: '',
      calls: [
        `ctr --namespace=k8s.io images ls --quiet name==${reference}`,
        `ctr --namespace=k8s.io images pull --hosts-dir=/etc/docker/certs.d ${user}${reference}`,
      ],
    })
  })

  it('pulls from the mirrors of containerd', () => {
    mkdirSync(join(machine, 'certs.d/registry.example.com'), { recursive: true })
    install('bin/ctr')
    expect(ran('pull').calls[1]).toBe(
      `ctr --namespace=k8s.io images pull --hosts-dir=${machine}/certs.d registry.example.com/machinist-daemon:1`,
    )
  })

  it('runs the image with ctr, and removes the container of an earlier attempt', () => {
    install('bin/ctr', 'case $2 in task | container) exit 1 ;; esac')
    const { status, calls } = ran('run')
    expect([status, calls]).toEqual([
      0,
      [
        'ctr --namespace=k8s.io task delete --force machinist-first-boot',
        'ctr --namespace=k8s.io container delete machinist-first-boot',
        'ctr --namespace=k8s.io run --rm --privileged --net-host --with-ns=pid:/proc/1/ns/pid --mount=type=bind,src=/,dst=/rootfs,options=rbind:rslave:rw registry.example.com/machinist-daemon:1 machinist-first-boot daemon first-boot --root=/rootfs',
      ],
    ])
  })
})
