/** Renders docs/errors.md from the table that the nodes use: `node harness/errorsPage.mts` writes it. */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

export const errorsPagePath = join(import.meta.dirname, '../docs/errors.md');

/** The page, from the built package. */
export function renderErrorsPage(): string {
	const { errorTexts } = createRequire(import.meta.url)('../dist/nodes/errors.js') as {
		errorTexts: Record<string, { message: string; description: string }>;
	};
	const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('*', '\\*');
	const rows = Object.entries(errorTexts).map(
		([reason, { message, description }]) =>
			`| \`${reason}\` | ${cell(message)} | ${cell(description)} |`,
	);
	return `# Errors

Every reason of the nodes, from the table in \`nodes/errors.ts\`. A message may go on after a colon with the parameter, the request or the status it is about. With **On Error** set to continue, the item carries the message in \`error\` and the reason in \`details.reason\`, which is \`unexpected\` for an error that is not from this package. Settings of the VoiceAgent Recording Trigger that cannot be used, executions that n8n could not start for it, and a wrong Items at Once have a message of their own and no reason. A reason keeps its name within a major version; texts may change.

| Reason | What happened | What to do |
|---|---|---|
${rows.join('\n')}
`;
}

if (import.meta.main) writeFileSync(errorsPagePath, renderErrorsPage());
