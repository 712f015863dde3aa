/** What Explore finds out, with a CallEnd webhook that the user has pasted. */
import { createHmac } from 'node:crypto';

import { openNode } from '../editor/nodePanel.mts';
import { inARow, manualTrigger } from '../flow.mts';
import { WEBHOOK_SECRET } from '../serviceAccess.mts';
import { boxOf, execute, formArea, nodeFile, open, type Picture } from './picture.mts';
import { SESSION_GUID } from './scene.mts';
import { fieldsOf } from './shown.mts';

const EXPLORE = 'Explore service';

export const explore: Picture = {
	size: { width: 1900, height: 1000 },
	of: () => fieldsOf(nodeFile(), 'explore'),
	show: async (page, scene) => {
		const node = {
			name: EXPLORE,
			type: 'n8n-nodes-voiceagent.voiceAgent',
			typeVersion: 1,
			parameters: { resource: 'connection', operation: 'explore', options: signedCallEnd() },
		};
		await open(page, scene, inARow(EXPLORE, [manualTrigger(), node]));
		await openNode(page, EXPLORE);
		await execute(page);
		// n8n shows the file first.
		const panel = page.getByTestId('output-panel');
		await panel.getByTestId('radio-button-table').click();
		await panel.getByText('setting', { exact: true }).waitFor();
		const form = await formArea(page);
		const output = await boxOf(panel);
		const right = output.x + output.width;
		const bottom = output.y + output.height;
		return { ...form, width: right - form.x, height: bottom - form.y };
	},
};

/** A webhook as the service would sign it with the secret of the credential. */
function signedCallEnd() {
	const callEndPayload = JSON.stringify({ sessionGuid: SESSION_GUID, to: '+15550100' });
	const signature = createHmac('sha256', WEBHOOK_SECRET).update(callEndPayload).digest('hex');
	const callEndHeaders = JSON.stringify({ 'X-Call-Signature': `sha256=${signature}` });
	return { callEndHeaders, callEndPayload };
}
