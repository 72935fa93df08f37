import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Boot, Machine } from './machine.ts'

/** Boots the first boot loader entry that ostree wrote, as a boot loader and an initramfs would. */
export async function ostreeBoot(
  tools: string,
  directory: string,
  beforeFirst?: (deployment: string, writable: string) => Promise<void>,
): Promise<Boot> {
  const sysroot = join(directory, 'sysroot')
  const isFirst = !existsSync(sysroot)
  if (isFirst) execFileSync('cp', ['-a', `${tools}/sysroot`, sysroot])
  const options = await firstEntry(join(sysroot, 'boot/loader/entries'))
  const link = / ostree=(\S+)/.exec(` ${options}`)?.[1]
  if (link === undefined) throw new Error(`the boot loader entry has no deployment: ${options}`)
  const deployment = await realpath(join(sysroot, link))
  const writable = join(sysroot, 'ostree/deploy/debian/var')
  if (isFirst) await beforeFirst?.(deployment, writable)
  await writeFile(join(directory, 'cmdline'), `${options}\n`)
  await writeFile(join(directory, 'empty'), '')
  return {
    lower: '',
    options: [
      `--directory=${deployment}`,
      `--bind=${sysroot}:/sysroot`,
      `--bind=${sysroot}/boot:/boot`,
      `--bind=${writable}:/var`,
      `--bind-ro=${deployment}/usr:/usr`,
      `--bind-ro=${directory}/empty:/run/ostree-booted`,
      `--bind-ro=${directory}/cmdline:/run/cmdline`,
    ],
    afterwards: async (machine: Machine) => {
      await machine.run('mount', '--bind', '/run/cmdline', '/proc/cmdline')
    },
  }
}

/** Shows the kernel arguments of the deployment from the start of each boot on, for services that read them during the boot. */
export async function showArgumentsEarly(deployment: string): Promise<void> {
  const units = join(deployment, 'etc/systemd/system')
  const text = `[Unit]
DefaultDependencies=no
Before=sysinit.target
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/mount --bind /run/cmdline /proc/cmdline
`
  await writeFile(join(units, 'test-cmdline.service'), text)
  await mkdir(join(units, 'sysinit.target.wants'), { recursive: true })
  await symlink('../test-cmdline.service', join(units, 'sysinit.target.wants/test-cmdline.service'))
}

async function firstEntry(entries: string): Promise<string> {
  const texts = (await readdir(entries)).map((name) => readFile(join(entries, name), 'utf8'))
  const field = (text: string, name: string): string =>
    new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1] ?? ''
  const newest = (await Promise.all(texts)).sort(
    (a, b) => Number(field(b, 'version')) - Number(field(a, 'version')),
  )[0]
  return field(newest ?? '', 'options')
}
