import { spawnSync } from 'node:child_process'
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { version } from '../../src/process/version.ts'
import { describeImages } from './images.ts'

/** Relative to the root; links are not followed, because they may lead out of it. */
function filesIn(root: string, directory = '', found: string[] = []): string[] {
  for (const entry of readdirSync(join(root, directory), { withFileTypes: true })) {
    const path = join(directory, entry.name)
    found.push(path)
    if (entry.isDirectory()) filesIn(root, path, found)
  }
  return found
}

describeImages('the files of the images', (images) => {
  const both = [images.machinist, images.daemon]

  it.each([
    ['machinist', images.machinist, []],
    ['machinist-daemon', images.daemon, ['opt/machinist/machinist', 'usr/sbin/chroot']],
  ])('contain only the programs that %s needs', (_, image, own) => {
    const programs = filesIn(image.root).filter((file) => {
      const stats = lstatSync(join(image.root, file))
      return stats.isFile() && (stats.mode & 0o111) !== 0 && !/\.so\b/.test(file)
    })
    expect(programs.sort()).toEqual([...own, 'opt/machinist/node'].sort())
  })

  it('belong to root, without setuid and write permissions for others', () => {
    for (const image of both) {
      for (const file of filesIn(image.root)) {
        const stats = lstatSync(join(image.root, file))
        if (stats.isSymbolicLink()) continue
        const seen = { file, owner: [stats.uid, stats.gid], bits: stats.mode & 0o7022 }
        expect(seen).toEqual({ file, owner: [0, 0], bits: 0 })
      }
    }
  })

  it.each(['machinist', 'machinist-daemon'])(
    'are found under the name in the manifests when the archive of %s is imported',
    (name) => {
      const args = ['--extract', '--to-stdout', '--file', join(images.archives, `${name}.tar`)]
      const { stdout } = spawnSync('tar', [...args, 'index.json'], { encoding: 'utf8' })
      const { manifests } = JSON.parse(stdout) as { manifests: { annotations: object }[] }
      // The tag is that of the test; manifests use `<name>:<version>`, which runtimes resolve to docker.io/library.
      expect(manifests.map(({ annotations }) => annotations)).toEqual([
        { 'org.opencontainers.image.ref.name': `docker.io/library/${name}:test` },
      ])
    },
  )

  it('include the licenses of all components', () => {
    for (const { root } of both) {
      const packages = readdirSync(join(root, 'var/lib/dpkg/status.d'))
      expect(packages).toEqual(expect.arrayContaining(['libc6', 'libstdc++6']))
      for (const name of packages) {
        const [entry, copyright] = [
          `var/lib/dpkg/status.d/${name}`,
          `usr/share/doc/${name}/copyright`,
        ]
        expect(readFileSync(join(root, entry), 'utf8')).toContain('Version: ')
        expect(readFileSync(join(root, copyright), 'utf8')).not.toBe('')
      }
      const licenses = readdirSync(join(root, 'opt/machinist/licenses'))
      expect(licenses).toEqual(expect.arrayContaining(['machinist', 'node', 'commander', 'yaml']))
    }
  })

  it('share the first layer in both images', () => {
    expect(images.daemon.layers[0]).toBe(images.machinist.layers[0])
  })

  it('run as an ordinary user, except for those of the daemon', () => {
    expect(images.machinist.config.User).toBe('65532:65532')
    expect(images.daemon.config.User).toBe('0:0')
    expect(images.machinist.config.Labels).toMatchObject({
      'org.opencontainers.image.title': 'machinist',
      'org.opencontainers.image.version': 'test',
    })
  })

  it.each([
    ['machinist', images.machinist, ['controller', 'operator', 'server', 'signer']],
    ['machinist-daemon', images.daemon, ['daemon']],
    ['machinist on another base', images.based, ['controller', 'operator', 'server', 'signer']],
  ])('contain a working program: %s', (_, { root, config }, commands) => {
    const { PATH } = process.env
    const ran = (...args: string[]): string => {
      const words = [root, ...config.Entrypoint, ...args]
      return spawnSync('chroot', words, { encoding: 'utf8', env: { PATH } }).stdout
    }
    expect(ran('--version')).toBe(`${version}\n`)
    const help = ran('--help')
    expect([...help.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name)).toEqual(commands)
  })
})
