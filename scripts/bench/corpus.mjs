// @ts-check
/** Streams of manifests as a repository has them: about 1.4 KB each, every third with a policy that is written out. */

/** @param {number} n */
const workflow = (n) => `apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata:
  name: build-${n}
  namespace: team-${n % 17}
  labels:
    app.kubernetes.io/name: build
    app.kubernetes.io/part-of: pipeline-${n % 5}
spec:
  entrypoint: main
  serviceAccountName: builder
  activeDeadlineSeconds: 86400
  arguments:
    parameters:
      - name: revision
        value: v1.${n}.0
      - name: tries
        value: "3"
  templates:
    - name: main
      steps:
        - - name: fetch
            template: fetch
        - - name: compile
            template: compile
            arguments:
              parameters:
                - {name: target, value: release}
    - name: fetch
      container:
        image: registry.example/fetch:1.${n}
        command: [sh, -c]
        args: ["git clone --depth 1 https://git.example/repo-${n}.git /src"]
      retryStrategy:
        limit: "5"
        retryPolicy: Always
        backoff:
          duration: 10s
          factor: 2
          maxDuration: 30m
    - name: compile
      inputs:
        parameters:
          - name: target
      container:
        image: registry.example/compile:1.${n}
        command: [make]
        args: ["{{inputs.parameters.target}}"]
        resources:
          requests: {cpu: "2", memory: 4Gi}
      retryStrategy:
        limit: 3
        expression: asInt(lastRetry.exitCode) > 1
        backoff:
          duration: 1m
          factor: 2
          cap: 10m
`;

/** @param {number} n */
const deployment = (n) => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web-${n}
  namespace: team-${n % 17}
  labels:
    app.kubernetes.io/name: web
    app.kubernetes.io/instance: web-${n}
    app.kubernetes.io/managed-by: kustomize
spec:
  replicas: 3
  revisionHistoryLimit: 5
  selector:
    matchLabels:
      app.kubernetes.io/instance: web-${n}
  template:
    metadata:
      labels:
        app.kubernetes.io/instance: web-${n}
      annotations:
        prometheus.io/scrape: "true"
        prometheus.io/port: "9090"
    spec:
      serviceAccountName: web
      securityContext:
        runAsNonRoot: true
        seccompProfile: {type: RuntimeDefault}
      containers:
        - name: web
          image: registry.example/web:2.${n}
          args: [--listen=:8080, --metrics=:9090]
          ports:
            - {name: http, containerPort: 8080}
            - {name: metrics, containerPort: 9090}
          env:
            - name: LOG_LEVEL
              value: info
            - name: DATABASE_URL
              valueFrom:
                secretKeyRef: {name: web-${n}, key: url}
          readinessProbe:
            httpGet: {path: /ready, port: http}
            periodSeconds: 5
          livenessProbe:
            httpGet: {path: /live, port: http}
            failureThreshold: 3
          resources:
            requests: {cpu: 100m, memory: 128Mi}
            limits: {memory: 256Mi}
`;

/** @param {number} n */
const config = (n) => `apiVersion: v1
kind: ConfigMap
metadata:
  name: settings-${n}
  namespace: team-${n % 17}
  labels:
    app.kubernetes.io/name: settings
data:
  application.properties: |
${Array.from({ length: 18 }, (_, line) => `    feature.${line}.enabled=${line % 2 === 0}\n    feature.${line}.limit=${n * line}`).join('\n')}
  retries: "5"
  timeout: 30s
`;

const kinds = [workflow, deployment, config];

/**
 * A stream of so many documents.
 *
 * @param {number} documents
 */
export function stream(documents) {
  return Array.from({ length: documents }, (_, n) => kinds[n % 3]?.(n) ?? '').join('---\n');
}

/** The sizes that are compared: one document, a large chart's output, a whole cluster's dump. */
export const sizes = [
  { name: '1 KB', documents: 1 },
  { name: '300 KB', documents: 230 },
  { name: '1.3 MB', documents: 900 },
];
