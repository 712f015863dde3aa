import { type Static, Type } from 'typebox';
import { named, strict, TextEnum } from '../schema.mts';
import { fitsPattern } from '../text.mts';

/** How a call to somebody can go. */
export const outcomes = ['answered', 'voicemail', 'busy', 'noAnswer'] as const;

export const Outcome = TextEnum([...outcomes]);
export type Outcome = Static<typeof Outcome>;

/** How a call went. It is canceled if it was hung up before anybody answered. */
export const CallOutcome = TextEnum([...outcomes, 'canceled'], {
	description: 'How the call went',
});
export type CallOutcome = Static<typeof CallOutcome>;

export const OutcomeRules = named(
	'OutcomeRules',
	Type.Object(
		{
			outcomes: Type.Array(
				Type.Object(
					{
						to: Type.String({
							minLength: 1,
							maxLength: 200,
							description: 'Number, in which * stands for any text',
						}),
						outcome: Outcome,
					},
					strict,
				),
				{ maxItems: 1000, description: 'The first that fits counts; without one: answered' },
			),
		},
		strict,
	),
);
export type OutcomeRule = Static<typeof OutcomeRules>['outcomes'][number];

/** What the rules say about a call to this number. */
export function outcomeOf(to: string, rules: readonly OutcomeRule[]): Outcome {
	return rules.find((rule) => fitsPattern(to, rule.to))?.outcome ?? 'answered';
}

interface Course {
	/** Whether there is somebody, or a mailbox, to talk to. Without it, there is no recording. */
	isConnected: boolean;
	/** For how many seconds it rings, if it rings for `usual` seconds until somebody answers. */
	ringSeconds(usual: number): number;
}

/** When the service gives up on a call that nobody answers, in seconds. */
const NO_ANSWER_SECONDS = 30;

export const courses: Record<Outcome, Course> = {
	answered: { isConnected: true, ringSeconds: (usual) => usual },
	voicemail: { isConnected: true, ringSeconds: (usual) => usual },
	busy: { isConnected: false, ringSeconds: () => 0 },
	noAnswer: { isConnected: false, ringSeconds: (usual) => Math.max(usual, NO_ANSWER_SECONDS) },
};
