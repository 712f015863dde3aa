/** The pages about the archive, as their user sets them up. */
import type { Credential, N8n, Workflow } from './n8n/n8n.mts';
import { readWorkflow } from './workflows.mts';

export const pageWorkflows = ['report-and-status', 'find-a-call', 'forget-caller'] as const;

/** Who may see the pages. */
export const VIEWER = { user: 'demo', password: 'not-secret-only-for-tests' };

/** The header with which a browser sends the user and the password. */
export const viewerAuthorization = (password = VIEWER.password): string =>
	`Basic ${btoa(`${VIEWER.user}:${password}`)}`;

/** @param s3FileUrl of a file in S3; without one, there is only the folder */
export function pageWorkflow(name: (typeof pageWorkflows)[number], s3FileUrl?: string): Workflow {
	const workflow = readWorkflow(name);
	for (const node of workflow.nodes) {
		if (node.type.endsWith('.webhook')) node.disabled = false;
		// There is no chat.
		if (node.name === 'Post the report to your chat') node.disabled = true;
		if (node.name.endsWith(' S3')) node.parameters.url = inBucket(node.parameters.url, s3FileUrl);
		const isOther = / S3$/.test(node.name) || /\.(?:ftp|googleDrive)$/.test(node.type);
		if (isOther) node.disabled = s3FileUrl === undefined;
	}
	return workflow;
}

/** The same URL, with another bucket at its start. */
function inBucket(url: unknown, s3FileUrl = ''): string {
	const bucket = s3FileUrl.slice(0, s3FileUrl.indexOf('{{'));
	return String(url).replace(/^=https:[^{]*/, bucket) || s3FileUrl;
}

export async function publishPages(
	n8n: N8n,
	credentials: Record<string, Credential>,
	s3FileUrl?: string,
): Promise<void> {
	const viewer = { name: 'Viewer', type: 'httpBasicAuth', data: VIEWER };
	const all = { ...credentials, httpBasicAuth: await n8n.createCredential(viewer) };
	for (const name of pageWorkflows) {
		await n8n.activate(await n8n.importWorkflow(pageWorkflow(name, s3FileUrl), all));
	}
}

/** Of a page, with the password in it. */
export function pageUrl({ port }: N8n, page: string): string {
	const { user, password } = VIEWER;
	return `http://${user}:${password}@127.0.0.1:${port}/webhook/voiceagent/${page}`;
}
