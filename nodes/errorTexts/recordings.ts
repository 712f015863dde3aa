/** What is wrong with a recording. */
export const recordings = {
	notEncrypted: {
		message: 'This is not an encrypted recording',
		description:
			'An encrypted recording (.enc) has at least 44 bytes and does not start like an audio file. Check that the right file is read, or whether the call was recorded without a password.',
	},
	wrongPasswordOrAltered: {
		message: 'The recording cannot be decrypted: wrong password, or the file was altered',
		description:
			"Correct the VoiceAgent Recording Password API credential: if the password was changed since the call, add the old one under 'Previous Passwords'. If it is right, download the file again; to keep audio of an unknown kind as it is, set 'Decrypt' of Download to 'Never'.",
	},
	notARecording: {
		message: 'The service answered with something that is not a recording',
		description:
			"An empty answer or a text page arrived instead of audio. Check the 'Base URL' and any proxy in between.",
	},
	recordingIncomplete: {
		message: 'The recording is not complete',
		description:
			"The service may still be writing it: raise the option 'Wait Until Available (Seconds)', or try again later. If this happens with every recording, set 'Decrypt' of Download to 'Never', which keeps what the service has.",
	},
	recordingNotReady: {
		message: 'The recording is not ready yet',
		description:
			"Set or raise the option 'Wait Until Available (Seconds)', or try again later. Nothing was output.",
	},
	notArchived: {
		message: 'The recording was not deleted: no proof that it is in the archive',
		description:
			'Download, and a node that stores the file and reports its checksum or one that reads it back, must be before this node. A sweep archives the recording again.',
	},
	proofOutdated: {
		message: 'The recording was not deleted: the proof is from an earlier execution',
		description:
			'The archive may have changed since: a retry or a single step does not ask it again. Run the whole workflow, or let a sweep archive the recording again.',
	},
	proofFailed: {
		message: 'The recording was not deleted: the archived file differs from the download',
		description:
			'Check the archived file, archive the recording again, and then delete it. The service still has it.',
	},
	recordingGone: {
		message: 'The recording is gone: deleted, or purged 7 days after the call ended',
		description:
			"A call that was not recorded has none either: check the session GUID, and whether your answer to CallStart sets recordCall. If the call has just ended, set the option 'Wait Until Available (Seconds)' of Download.",
	},
	stillListed: {
		message: 'The service answers that there is no such recording, but its list shows it',
		description: "Nothing was deleted. Check the 'Base URL' and any proxy in between.",
	},
	maybeGone: {
		message: 'It is not clear whether the recording is gone',
		description:
			'The service answers that there is no such recording, but its list cannot confirm it. Nothing was deleted or output: try again later.',
	},
} as const;
