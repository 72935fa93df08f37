import { posix } from 'node:path'
import { kernelWords } from '../../../../planner/differences/kernel-arguments.ts'
import type { HostFiles } from '../../host.ts'
import { kernelArgumentsIn } from './deployment.ts'

const directory = '/boot/loader/entries'

/** The kernel arguments of the boot loader entries, by the name of the deployment. */
export async function getBootEntries(files: HostFiles): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  for (const name of await files.list(directory)) {
    if (!name.endsWith('.conf')) continue
    const entry = Buffer.from(await files.read(`${directory}/${name}`)).toString()
    const options = optionsIn(entry)
    const deployment = await deploymentOf(files, options)
    if (deployment !== undefined) found.set(deployment, kernelArgumentsIn(options))
  }
  return found
}

/** Joins several `options` lines. */
export const optionsIn = (entry: string): string =>
  [...entry.matchAll(/^options[ \t](.*)$/gm)].map(([, rest]) => rest!.trim()).join(' ')

/** The `ostree=` argument is a link to a directory with the name of the deployment. */
async function deploymentOf(files: HostFiles, options: string): Promise<string | undefined> {
  const path = kernelWords(options)
    .find((word) => word.startsWith('ostree='))
    ?.slice(7)
  if (!path?.startsWith('/')) return undefined
  const link = await files.stat(posix.normalize(path).replace(/\/$/, ''))
  return link?.type === 'symlink' ? posix.basename(link.target) : undefined
}
