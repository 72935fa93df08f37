import type { KeyObject, X509Certificate } from 'node:crypto'
import type { Clock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import type { Random } from '@machinist/core/random'
import type { FindObject } from '../admission/nodes/node-write.ts'
import { restrictNode } from '../admission/nodes/node-restriction.ts'
import { PolicyAdmission } from '../admission/policy-admission.ts'
import { PolicyWorker } from '../workers/admission-policies.ts'
import { Authenticator } from '../authentication/authenticator.ts'
import type { FindBootstrapSecret } from '../authentication/bootstrap-tokens.ts'
import { ServiceAccountTokens } from '../authentication/service-account-tokens.ts'
import type { StaticTokens } from '../authentication/static-tokens.ts'
import { Authorizer } from '../authorization/authorizer.ts'
import { Discovery } from '../discovery/discovery.ts'
import { builtInKinds } from '../kinds/catalog/built-in-kinds.ts'
import { KindRegistry } from '../kinds/kind-registry.ts'
import type { Store } from '../store/store.ts'
import { CompiledSchemas } from '../verbs/compiled-schemas.ts'
import { objectKey } from '../objects/object-key.ts'
import { newUid } from '../objects/object-uid.ts'
import { read } from '../verbs/read.ts'
import { fieldOwners, patchers } from '../verbs/patchers.ts'
import { toServedObject } from '../objects/stored-object.ts'
import type { VerbContext } from '../verbs/verb-context.ts'
import { WatchCache } from '../watch/watch-cache.ts'
import { AggregationWorker } from '../workers/aggregations.ts'
import { DefinitionWorker } from '../workers/definitions.ts'
import { DisruptionWorker } from '../workers/disruptions.ts'
import { GarbageWorker } from '../workers/garbage.ts'
import { createSystemNamespaces, NamespaceWorker } from '../workers/namespaces.ts'
import { createDefaultRbac, syncAuthorizer } from '../workers/default-rbac.ts'
import type { Listening, ServingIdentity } from './api-http-server.ts'
import { ApiHttpServer } from './api-http-server.ts'
import type { AuditSink } from './messages/audit.ts'
import { MetricsPage } from './pages/metrics-page.ts'
import { Shapes } from './messages/object-shapes.ts'
import { OpenApiPages } from './pages/openapi-pages.ts'
import { OpenIdPages } from './pages/openid-pages.ts'
import { objectTables } from './messages/object-tables.ts'
import { protobufBodies } from './messages/protobuf-bodies.ts'
import { RequestMetrics } from './messages/request-metrics.ts'
import { ReviewHandler } from './resources/reviews.ts'
import { escalationAdmission } from './resources/escalation-admission.ts'
import { signerAdmission } from './resources/signer-admission.ts'
import { WatchViews } from './messages/watch-views.ts'

export interface ApiServerOptions extends Listening {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly staticTokens: StaticTokens
  /** Signs service account tokens; P-256. */
  readonly signingKey: KeyObject
  readonly issuer?: string
  /** CAs of client certificates. */
  readonly clientAuthorities?: () => readonly X509Certificate[]
  /** Receives every finished request; default: no audit. */
  readonly audit?: AuditSink
}

const version = { major: '1', minor: '32', gitVersion: 'v1.32.4+machinist' }

/** A running embedded Kubernetes API. */
export class ApiServer {
  readonly url: string
  readonly #server: ApiHttpServer
  readonly #stop: () => Promise<void>

  private constructor(url: string, server: ApiHttpServer, stop: () => Promise<void>) {
    this.url = url
    this.#server = server
    this.#stop = stop
  }

  static async start(options: ApiServerOptions): Promise<ApiServer> {
    const { store, clock, random, log } = options
    const kinds = new KindRegistry(builtInKinds)
    const context: VerbContext = {
      store,
      clock,
      random,
      kinds,
      schemas: new CompiledSchemas(),
      patcher: patchers,
      fields: fieldOwners,
    }
    const isNew = store.revision === 1
    const authorizer = new Authorizer()
    const stopAuthorizerSync = syncAuthorizer(context, authorizer)
    const workers = [
      new DefinitionWorker(context, log),
      new NamespaceWorker(context, log),
      new GarbageWorker(context, log),
      new DisruptionWorker(context, log),
      new AggregationWorker(context, log),
      new PolicyWorker(context, log),
    ]
    await createSystemNamespaces(context)
    await createDefaultRbac(context)
    // A new server has no clients yet that need its history.
    if (isNew) await store.compact(store.revision)
    const accountTokens = tokensOf(options, context)
    const authenticator = new Authenticator({
      clientAuthorities: options.clientAuthorities ?? (() => []),
      staticTokens: options.staticTokens,
      accountTokens,
      findBootstrapSecret: bootstrapSecrets(context),
      authorizer,
      clock,
    })
    const cache = new WatchCache({ store, clock, log })
    const shapes = new Shapes(objectTables)
    const mayGiveRights = escalationAdmission(authorizer)
    const mayDecide = signerAdmission(authorizer)
    const policies = new PolicyAdmission(context, authorizer)
    const metrics = new RequestMetrics(clock)
    let ready = true
    const server = new ApiHttpServer({
      verbs: context,
      cache,
      discovery: new Discovery(kinds),
      authenticator,
      authorizer,
      reviews: new ReviewHandler({ authenticator, authorizer, accountTokens }, context),
      admission: (write) => {
        mayGiveRights(write)
        mayDecide(write)
      },
      policies: (request) => {
        restrictNode(request, findIn(context))
        policies.admit(request)
      },
      shapes,
      views: new WatchViews(shapes, clock),
      protobuf: protobufBodies,
      pages: [
        new OpenApiPages(kinds),
        new OpenIdPages(accountTokens),
        new MetricsPage(metrics, context, cache),
      ],
      metrics,
      ...(options.audit && { audit: options.audit }),
      version,
      ready: () => ready,
      log,
    })
    const url = await server.listen(options)
    return new ApiServer(url, server, async () => {
      ready = false
      await server.stop()
      cache.close()
      stopAuthorizerSync()
      policies.stop()
      await Promise.all(workers.map((worker) => worker.stop()))
    })
  }

  /** Presents this certificate to new connections; open ones are not affected. */
  present(identity: ServingIdentity): void {
    this.#server.present(identity)
  }

  /** Ends watches, waits for requests, stops the workers. The caller closes the store. */
  stop(): Promise<void> {
    return this.#stop()
  }
}

/** Looks up objects for admission. */
function findIn(context: VerbContext): FindObject {
  return (kind, namespace, name) => {
    const served = context.kinds.findKind('', 'v1', kind)!
    return read(context, { kind: served, name, ...(served.namespaced && { namespace }) })
  }
}

/** Looks up bootstrap tokens. */
function bootstrapSecrets({ kinds, store }: VerbContext): FindBootstrapSecret {
  return (name) => {
    const secrets = kinds.findKind('', 'v1', 'Secret')
    const stored = secrets && store.get(objectKey(secrets, 'kube-system', name))
    return stored && toServedObject(secrets, stored)
  }
}

function tokensOf(
  { issuer = 'https://kubernetes.default.svc', signingKey, clock, random }: ApiServerOptions,
  { kinds, store }: VerbContext,
): ServiceAccountTokens {
  return new ServiceAccountTokens({
    issuer,
    audiences: [issuer],
    signingKey,
    clock,
    findUid: (kind, name, namespace) => {
      const served = kinds.findKind('', 'v1', kind)
      const stored = served && store.get(objectKey(served, namespace, name))
      return stored && toServedObject(served, stored).metadata.uid
    },
    newId: () => newUid(random),
  })
}
