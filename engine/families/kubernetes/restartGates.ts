import { atLeast, type Environment } from '../../environment.ts';
import { kubernetes } from './system.ts';

/** Whether containers may have a restart policy and rules of their own: 1.35, or 1.34 with the gate. */
export const hasRestartRules = (env: Environment): boolean =>
  atLeast(env, kubernetes, '1.34.0') &&
  (env.gates.get('ContainerRestartRules') ?? atLeast(env, kubernetes, '1.35.0'));

/** Whether a rule may restart all containers, and a sidecar may have rules: 1.36, or 1.35 with the gate. */
export const hasRestartAll = (env: Environment): boolean =>
  atLeast(env, kubernetes, '1.35.0') &&
  (env.gates.get('RestartAllContainersOnContainerExits') ?? atLeast(env, kubernetes, '1.36.0'));

/** Whether init containers can run beside the others: 1.29, or 1.28 with the gate. */
export const hasSidecars = (env: Environment): boolean =>
  atLeast(env, kubernetes, '1.28.0') &&
  (env.gates.get('SidecarContainers') ?? atLeast(env, kubernetes, '1.29.0'));
