import { field } from '../../field.ts';
import { anything, oneOf } from '../../format.ts';
import { sources } from './system.ts';

/** The words of a restart policy, of a pod and of a container alike. */
export const restartWords = oneOf('Always', 'OnFailure', 'Never');

export const restartFields = {
  restartPolicy: field(
    restartWords,
    'restartPolicy',
    'Whether this container is restarted, whatever holds for the others',
  ).unset("the pod's own restartPolicy decides"),
  podRestartPolicy: field(
    restartWords,
    '../../restartPolicy',
    'Whether the containers of the pod are restarted when they end',
  )
    // The webhook of JobSet writes another one than the API server does.
    .otherwise('/spec/replicatedJobs', 'OnFailure', sources.jobSet)
    .defaultsTo('Always', sources.podDefaults),
  restartPolicyRules: field(
    anything,
    'restartPolicyRules',
    'Exit codes that restart the container although its restartPolicy would not',
  )
    .beside()
    .since('1.35.0', 'it is dropped, and restartPolicy alone decides', 'ContainerRestartRules')
    .unset('restartPolicy decides for every exit code'),
};

export type RestartFields = typeof restartFields;
