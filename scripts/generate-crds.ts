import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crdFolder } from '../src/api/definitions/crds.ts'
import { imageRegistryKinds, kinds } from '../src/api/definitions/kinds.ts'
import { referencePages } from '../src/api/definitions/reference.ts'

/**
 * Generates deploy/crds, deploy/image-registries/crds and docs/api from src/api/kinds. With --check it writes nothing and fails if a
 * committed file is outdated.
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
  const desired = new Map(files.map((file) => [file.name, file.text]))
  const found = new Map(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  )
  const names = [...new Set([...desired.keys(), ...found.keys()])]
  return names
    .filter((name) => desired.get(name) !== found.get(name))
    .map((name) => ({ name: join(path, name), file: join(folder, name), text: desired.get(name) }))
})

for (const { name, file, text } of outdated) {
  console.log(`${check ? 'outdated' : text === undefined ? 'removed' : 'written'}: ${name}`)
  if (check) continue
  if (text === undefined) rmSync(file)
  else writeFileSync(file, text)
}

if (check && outdated.length > 0) {
  console.error('Run `node scripts/generate-crds.ts` and commit the result.')
  process.exitCode = 1
}
