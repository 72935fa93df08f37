import type { KeyObject, X509Certificate } from 'node:crypto'
import type { Clock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import type { Random } from '@machinist/core/random'
import type { FindObject } from '../admission/node-write.ts'
import { restrictNode } from '../admission/node-restriction.ts'
import { PolicyAdmission } from '../admission/policy-admission.ts'
import { PolicyWorker } from '../admission/policy-worker.ts'
import { Authenticator } from '../authentication/authenticator.ts'
import type { FindBootstrapSecret } from '../authentication/bootstrap-tokens.ts'
import { ServiceAccountTokens } from '../authentication/service-account-tokens.ts'
import type { StaticTokens } from '../authentication/static-tokens.ts'
import { Authorizer } from '../authorization/authorizer.ts'
import { Discovery } from '../discovery/discovery.ts'
import { builtInKinds } from '../kinds/built-in-kinds.ts'
import { KindRegistry } from '../kinds/kind-registry.ts'
import type { Store } from '../store/store.ts'
import { CompiledSchemas } from '../verbs/compiled-schemas.ts'
import { objectKey } from '../verbs/object-key.ts'
import { newUid } from '../verbs/object-uid.ts'
import { read } from '../verbs/read.ts'
import { fieldOwners, patchers } from '../verbs/patchers.ts'
import { shownObject } from '../verbs/stored-object.ts'
import type { VerbContext } from '../verbs/verb-context.ts'
import { WatchCache } from '../watch/watch-cache.ts'
import { AggregationWorker } from '../workers/aggregations.ts'
import { DefinitionWorker } from '../workers/definitions.ts'
import { DisruptionWorker } from '../workers/disruptions.ts'
import { GarbageWorker } from '../workers/garbage.ts'
import { createSystemNamespaces, NamespaceWorker } from '../workers/namespaces.ts'
import { createDefaultRights, followRights } from '../workers/rights.ts'
import type { Listening, ServingIdentity } from './api-http-server.ts'
import { ApiHttpServer } from './api-http-server.ts'
import type { AuditSink } from './audit.ts'
import { MetricsPage } from './metrics-page.ts'
import { Shapes } from './object-shapes.ts'
import { OpenApiPages } from './openapi-pages.ts'
import { OpenIdPages } from './openid-pages.ts'
import { objectTables } from './object-tables.ts'
import { protobufBodies } from './protobuf-bodies.ts'
import { RequestMetrics } from './request-metrics.ts'
import { ReviewAnswers } from './review-answers.ts'
import { rightsAdmission } from './rights-admission.ts'
import { signerAdmission } from './signer-admission.ts'
import { WatchViews } from './watch-views.ts'

export interface ApiServerOptions extends Listening {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly staticTokens: StaticTokens
  /** Signs the tokens of service accounts; P-256. */
  readonly signingKey: KeyObject
  readonly issuer?: string
  /** Who may vouch for client certificates. */
  readonly clientAuthorities?: () => readonly X509Certificate[]
  /** Hears of every request when it is over; nobody does unless given. */
  readonly audit?: AuditSink
}

const version = { major: '1', minor: '32', gitVersion: 'v1.32.4+machinist' }

/** The embedded Kubernetes API, running. */
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
    const stopRights = followRights(context, authorizer)
    const workers = [
      new DefinitionWorker(context, log),
      new NamespaceWorker(context, log),
      new GarbageWorker(context, log),
      new DisruptionWorker(context, log),
      new AggregationWorker(context, log),
      new PolicyWorker(context, log),
    ]
    await createSystemNamespaces(context)
    await createDefaultRights(context)
    // Nobody could ask for anything yet, so no client can be in the middle of what was before.
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
    const mayGiveRights = rightsAdmission(authorizer)
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
      reviews: new ReviewAnswers({ authenticator, authorizer, accountTokens }, context),
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
      stopRights()
      policies.stop()
      await Promise.all(workers.map((worker) => worker.stop()))
    })
  }

  /** Shows this to new connections from now on; open ones stay as they are. */
  present(identity: ServingIdentity): void {
    this.#server.present(identity)
  }

  /** Ends watches, lets requests finish, stops the workers. The store stays open: it is the caller's. */
  stop(): Promise<void> {
    return this.#stop()
  }
}

/** What admission looks at beside the written object. */
function findIn(context: VerbContext): FindObject {
  return (kind, namespace, name) => {
    const served = context.kinds.findKind('', 'v1', kind)!
    return read(context, { kind: served, name, ...(served.namespaced && { namespace }) })
  }
}

/** Where the tokens are that machines join with. */
function bootstrapSecrets({ kinds, store }: VerbContext): FindBootstrapSecret {
  return (name) => {
    const secrets = kinds.findKind('', 'v1', 'Secret')
    const stored = secrets && store.get(objectKey(secrets, 'kube-system', name))
    return stored && shownObject(secrets, stored)
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
      return stored && shownObject(served, stored).metadata.uid
    },
    newId: () => newUid(random),
  })
}
