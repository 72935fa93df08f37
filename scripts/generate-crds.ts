import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crdFolder } from '../src/api/crds.ts'
import { imageRegistryKinds, kinds } from '../src/api/kinds.ts'
import { referencePages } from '../src/api/reference.ts'

/**
 * Writes what is generated from src/api/kinds: deploy/crds, deploy/image-registries/crds and docs/api.
 * With --check it writes nothing and fails when a committed file is not what would be written.
 */
const root = join(import.meta.dirname, '..')
const check = process.argv.includes('--check')
const folders = [
  { path: 'deploy/crds', files: crdFolder(kinds) },
  { path: 'deploy/image-registries/crds', files: crdFolder(imageRegistryKinds) },
  { path: 'docs/api', files: referencePages() },
]

const outdated = folders.flatMap(({ path, files }) => {
  const folder = join(root, path)
  mkdirSync(folder, { recursive: true })
  const wanted = new Map(files.map((file) => [file.name, file.text]))
  const found = new Map(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  )
  const names = [...new Set([...wanted.keys(), ...found.keys()])]
  return names
    .filter((name) => wanted.get(name) !== found.get(name))
    .map((name) => ({ name: join(path, name), file: join(folder, name), text: wanted.get(name) }))
})

for (const { name, file, text } of outdated) {
  console.log(`${check ? 'outdated' : text === undefined ? 'removed' : 'written'}: ${name}`)
  if (check) continue
  if (text === undefined) rmSync(file)
  else writeFileSync(file, text)
}

if (check && outdated.length > 0) {
  console.error('Run `node scripts/generate-crds.ts` and commit what it writes.')
  process.exitCode = 1
}
