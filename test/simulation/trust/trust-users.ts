import type { Random } from '@machinist/core/random'
import { between } from '@machinist/core/random'
import type { Resource } from '@machinist/core/objects/resource'
import { configMaps, nodes, secrets } from '@machinist/kube/kinds/core'
import { certificateAnnotations, ownSignerAnnotations } from '../../../src/api/annotations.ts'
import { machineConfigPools, trustRotations } from '../../../src/api/kinds/resources.ts'
import { nodeTrusts } from '../../../src/api/kinds/resources.ts'
import { timeText } from '../api/memory-api.ts'
import { bundleOf } from './checks/end-state.ts'
import type { Place, Rotation } from './rotations.ts'
import type { TrustScene } from './scene.ts'
import type { TrustNode } from './trust-node.ts'

const { notAfter, notBefore, issuer } = certificateAnnotations
type Annotations = Readonly<Record<string, string | null>>
const garbage = '-----BEGIN CERTIFICATE-----\nbm90IGEgY2VydGlmaWNhdGU=\n-----END CERTIFICATE-----\n'

/** The users of a cluster: they request rotations in every way, and change or delete every object. */
export class TrustUsers {
  readonly #scene: TrustScene
  readonly #random: Random
  readonly #away = new Set<TrustNode>()

  constructor(scene: TrustScene) {
    this.#scene = scene
    this.#random = scene.cluster.newRandom()
  }

  /** Requests a new CA. */
  rotate(rotation = this.#rotation()): void {
    const request = this.#any<Annotations>([
      { [notAfter]: null },
      { [notBefore]: null },
      { [notAfter]: 'soon' },
    ])
    this.#annotate(secrets, rotation.spec.signer, request)
  }

  rotateBack(): void {
    const { name, spec } = this.#rotation()
    const { status } = this.#scene.cluster.get(trustRotations, { name })!
    const fingerprint = status?.current?.fingerprint
    if (fingerprint === undefined) return
    this.#annotate(secrets, spec.signer, { [ownSignerAnnotations.rotateBack]: fingerprint })
  }

  /** Removes or changes annotations. */
  annotate(): void {
    const { spec } = this.#rotation()
    const past = timeText(this.#scene.cluster.clock.now() - 3600_000)
    const what = this.#any<Annotations>([
      { [notAfter]: null },
      { [notBefore]: null },
      { [issuer]: null },
      { [notAfter]: null, [notBefore]: null, [issuer]: null },
      { [notAfter]: 'tomorrow' },
      { [notAfter]: past },
      { [issuer]: 'somebody' },
    ])
    const [target] = spec.targets ?? []
    const where = this.#random.next() < 0.5 || !target ? spec.signer : target
    this.#annotate(secrets, where, what)
  }

  /** Deletes a Secret or ConfigMap of the signer. */
  deleteSomething(): void {
    const { spec } = this.#rotation()
    const all: readonly (readonly [Resource, Place | undefined])[] = [
      [secrets, spec.signer],
      [secrets, spec.targets?.[0]],
      [configMaps, spec.bundle],
      [configMaps, spec.publishedIn?.[0]],
    ]
    const [resource, place] = this.#any(all)
    if (!place) return
    const { namespace, name } = place
    this.#scene.cluster.remove('user', resource, { namespace, name })
  }

  /** Adds an invalid certificate to a bundle or published bundle. */
  corrupt(): void {
    const { spec } = this.#rotation()
    const place = this.#any([spec.bundle, spec.bundle, ...(spec.publishedIn ?? [])])
    const text = `${bundleOf(this.#scene, place) ?? ''}${garbage}`
    this.#put(place, { 'ca-bundle.crt': text })
  }

  /** Makes another trust input invalid until the end. */
  breakOtherInput(): void {
    const places: readonly [Place, string][] = [
      [{ namespace: 'openshift-config', name: 'user-ca-bundle' }, 'ca-bundle.crt'],
      [{ namespace: 'openshift-config-managed', name: 'image-registry-ca' }, 'registry..5000'],
      [{ namespace: 'openshift-config-managed', name: 'kube-cloud-config' }, 'ca-bundle.pem'],
    ]
    const [place, key] = this.#any(places)
    this.#put(place, { [key]: garbage })
  }

  /** Pauses all pools until the end: the trust lane does not depend on them. */
  pause(paused = true): void {
    for (const { metadata } of this.#scene.cluster.list(machineConfigPools)) {
      const key = { name: metadata.name }
      this.#scene.cluster.patch('user', machineConfigPools, key, { spec: { paused } })
    }
  }

  /** Exempts one node from a rotation. */
  override(): void {
    const { name } = this.#rotation()
    const { status } = this.#scene.cluster.get(trustRotations, { name })!
    if (!status?.current) return
    const override = { authority: status.current.fingerprint, nodes: [this.#node().name] }
    this.#scene.cluster.patch('user', trustRotations, { name }, { spec: { override } })
  }

  changeSpec(): void {
    const { name, spec } = this.#rotation()
    const life = this.#any([
      { validity: '4380h', refresh: '2190h' },
      { key: 'ECDSA-P256' },
      { validity: '26280h', refresh: '20000h' },
    ])
    const [target, ...others] = spec.targets ?? []
    const change =
      this.#random.next() < 0.5
        ? { signer: life }
        : { targets: [{ ...target, validity: '240h', refresh: '120h' }, ...others] }
    this.#scene.cluster.patch('user', trustRotations, { name }, { spec: change })
  }

  /** Deletes a Node, and perhaps its NodeTrust; its kubelet recreates the Node later. */
  recreateNode(): void {
    const node = this.#node()
    const { cluster } = this.#scene
    const key = { name: node.name }
    if (!cluster.get(nodes, key)) return
    this.#away.add(node)
    cluster.remove('user', nodes, key)
    // The garbage collector may be slow.
    if (this.#random.next() < 0.7) cluster.remove('user', nodeTrusts, key)
    cluster.clock.after(between(this.#random, 1, 300) * 1000, () => this.#comeBack(node))
  }

  /** Repairs what only users can repair. */
  revertAll(): void {
    for (const node of this.#away) this.#comeBack(node)
    for (const { spec } of this.#scene.rotations) {
      for (const { namespace, name } of [spec.bundle, ...(spec.publishedIn ?? [])]) {
        const text = bundleOf(this.#scene, { namespace, name })
        if (text === undefined || this.#scene.reader.bundle(text)) continue
        this.#scene.cluster.remove('user', configMaps, { namespace, name })
      }
    }
  }

  /** After a restore a Node that joined after the backup is missing until its kubelet restarts. */
  backup(): () => void {
    const { cluster, nodes: machines } = this.#scene
    return () => {
      for (const node of machines.values()) {
        if (cluster.get(nodes, { name: node.name }) || this.#away.has(node)) continue
        this.#away.add(node)
        cluster.clock.after(between(this.#random, 1, 300) * 1000, () => this.#comeBack(node))
      }
    }
  }

  #comeBack(node: TrustNode): void {
    if (!this.#away.delete(node)) return
    if (this.#scene.cluster.get(nodes, { name: node.name })) return
    node.simulated.register('rendered-worker-1', { ...node.labels })
  }

  #annotate(resource: Resource, { namespace, name }: Place, annotations: Annotations): void {
    const change = { metadata: { annotations } }
    this.#scene.cluster.patch('user', resource, { namespace, name }, change)
  }

  #put({ namespace, name }: Place, data: Readonly<Record<string, string>>): void {
    const { cluster } = this.#scene
    const key = { namespace, name }
    if (cluster.get(configMaps, key)) cluster.patch('user', configMaps, key, { data })
    else cluster.create('user', configMaps, { metadata: key, data: { ...data } })
  }

  #rotation(): Rotation {
    return this.#any(this.#scene.rotations)
  }

  #node(): TrustNode {
    return this.#any([...this.#scene.nodes.values()])
  }

  #any<T>(list: readonly T[]): T {
    return list[between(this.#random, 0, list.length - 1)]!
  }
}
