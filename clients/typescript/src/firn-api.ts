// Generated from openapi/firn.json: npm run client-types
export interface paths {
    "/v1/repositories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List repositories, by name, namespace and visibility
         * @description Those that the token may read, ordered by namespace and name; without a token the public ones. `search`, `namespace` and `visibility` leave out the others; with several of them, a repository has to meet all.
         */
        get: operations["listRepositories"];
        put?: never;
        /**
         * Create a repository
         * @description The place of runs and eval sets. It is private and empty. Needs the scope write on its name; a namespace comes to be with its first repository.
         */
        post: operations["createRepository"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/repositories/{namespace}/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Describe a repository
         * @description Who can read it, and how weights that hub clients push are kept.
         */
        get: operations["getRepository"];
        put?: never;
        post?: never;
        /**
         * Delete a repository with its runs, eval sets and commits
         * @description Needs the scope admin on it. What is being compressed is cancelled first; 409 if that does not stop within twenty seconds: then send it again. If-Match is looked at before anything is deleted. The name is free at once. Bytes go after the grace; what runs of other repositories build on is kept, out of sight, until nothing does.
         */
        delete: operations["deleteRepository"];
        options?: never;
        head?: never;
        /**
         * Change who can read a repository, and how pushed weights are kept
         * @description `visibility` says who reads it; `hub` says how weights that hub clients push are kept from now on. What is not given stays. Needs the scope admin on it.
         */
        patch: operations["changeRepository"];
        trace?: never;
    };
    "/v1/repositories/{namespace}/{name}/eval-sets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the eval sets of a repository
         * @description By name, whatever their state.
         */
        get: operations["listEvalSets"];
        put?: never;
        /**
         * Create an eval set
         * @description Says which graph inputs the batches fill and what is measured. Then upload its graph and its batches, and commit it: runs name only eval sets that are ready.
         */
        post: operations["createEvalSet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/repositories/{namespace}/{name}/eval-sets/{evalSet}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Describe an eval set
         * @description Its spec, what has arrived of it, and its state: `open` until it is committed, then `ready`, or `failed` with the reason.
         */
        get: operations["getEvalSet"];
        put?: never;
        post?: never;
        /**
         * Delete an eval set that nothing uses
         * @description Refused, saying what uses it, while a run measures its checkpoints with it, or a checkpoint that is queued, being compressed, or failed and can be tried again. `PATCH` of the run gives it another one.
         */
        delete: operations["deleteEvalSet"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/repositories/{namespace}/{name}/eval-sets/{evalSet}/graph": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Upload the ONNX graph, with or without its weights
         * @description Weights that the checkpoints fill need not be in it. It is checked with the commit; before that it can be sent again, and replaces what was there.
         */
        put: operations["putEvalSetGraph"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/repositories/{namespace}/{name}/eval-sets/{evalSet}/batches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Upload the inputs and labels as safetensors
         * @description One file, whose tensors have the rows of all batches: those that `inputs` of the spec names, and the labels. Before the commit it can be sent again, and replaces what was there.
         */
        put: operations["putEvalSetBatches"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/repositories/{namespace}/{name}/eval-sets/{evalSet}/commit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check graph, batches and metrics against each other
         * @description With `check` a checkpoint of the repository is measured first, and the answer says how everything was read; where that fails the set stays open, to be mended.
         */
        post: operations["commitEvalSet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/repositories/{namespace}/{name}/eval-sets/{evalSet}/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Measure a checkpoint on an eval set, open or ready
         * @description Says how graph, batches, labels and weights were read, and what looks like a mistake. Nothing changes. It is refused with what a checkpoint of a run would fail with; for a model larger than `FIRN_EVAL_MEMORY_MIB`; and for a while, with Retry-After, while too many checks wait or the scratch disk has no room.
         */
        post: operations["checkEvalSet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/repositories/{namespace}/{name}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the runs of a repository
         * @description Ordered by name. Each has its options as they are in force, and the counts of its checkpoints by state.
         */
        get: operations["listRuns"];
        put?: never;
        /**
         * Create a run, or fork one from a checkpoint
         * @description Says how its checkpoints are kept: exact, or lossy inside `thresholds` on an eval set. With `forkFrom` it goes on from a checkpoint of the repository, and inherits what is not given. With `baseModel` its first checkpoint is stored against a checkpoint of any repository that the token may read.
         */
        post: operations["createRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/repositories/{namespace}/{name}/runs/{run}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Describe a run
         * @description Its options as they are in force, with those that were not given at their defaults. The counts of its checkpoints are part of the answer, so that the ETag changes with them.
         */
        get: operations["getRun"];
        put?: never;
        post?: never;
        /**
         * Delete a run with all its checkpoints
         * @description Open reservations are given up; a run with a checkpoint that is queued or being compressed is refused. The name is free at once. Checkpoints that other runs build on are kept, out of sight, until nothing does.
         */
        delete: operations["deleteRun"];
        options?: never;
        head?: never;
        /**
         * Give a run another eval set or other thresholds, close it, or open it again
         * @description From the next checkpoint on: one that is committed keeps what the run had then. Thresholds that are not given stay if the new eval set has all their metrics, else the default holds on its first one. An eval set that no checkpoint of the run could be measured with is refused, with what is in the way. A checkpoint that failed for its eval set is tried again with `POST .../checkpoints/{step}/retry`; those that are ready stay as they are. A closed run refuses new steps with `run-closed`.
         */
        patch: operations["changeRun"];
        trace?: never;
    };
    "/v1/repositories/{namespace}/{name}/runs/{run}/checkpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the checkpoints of a run in its order, or the newest first
         * @description Whatever their state, in the order in which they were reserved or pushed. With `order=newest` a client finds the end of a long run on the first page.
         */
        get: operations["listCheckpoints"];
        put?: never;
        /**
         * Reserve a checkpoint with the list of its files, then upload them and commit it
         * @description The checkpoint has its place in the order of the run from now on, so that an open reservation holds up the compression of all later steps of the run until it is committed, cancelled or deleted, or expires without a sign of life. Small files of a folder can come along as `content`; with `commit` a folder of nothing else is one call. The answer lists what is still to be uploaded. If a file or the commit is refused, the reservation stays.
         */
        post: operations["reserveCheckpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/repositories/{namespace}/{name}/runs/{run}/checkpoints/{step}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Describe a checkpoint: state, result, files and package
         * @description The state, and what came of the compression: config, bytes, metrics against their thresholds. Files have links to download them. `latest` is the newest step that is ready; `Content-Location` names it.
         */
        get: operations["getCheckpoint"];
        /**
         * Upload a checkpoint of one safetensors file in one request
         * @description The step gets its place in the order of the run once the whole body has arrived and was found sound; until then nothing of it is there, and a refused or broken upload leaves nothing. A step that failed with these very bytes answers 409 with the reason and the call that tries it again. Of several at once for one step the first that arrives whole wins. An open reservation of this one file is used, and stays when the upload is refused.
         */
        put: operations["pushCheckpoint"];
        post?: never;
        /**
         * Delete a checkpoint
         * @description The step can be uploaded again. Bytes that other checkpoints build on are kept, out of sight.
         */
        delete: operations["deleteCheckpoint"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/repositories/{namespace}/{name}/runs/{run}/checkpoints/{step}/commit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Close a reserved checkpoint and hand it to compression
         * @description Checks that all announced files are there and fit each other and the run. From then on the bytes are durable, and the checkpoint waits for its turn. Sent again it answers 200 and does nothing.
         */
        post: operations["commitCheckpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/repositories/{namespace}/{name}/runs/{run}/checkpoints/{step}/trials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the configs tried for a checkpoint
         * @description Each with its metrics and whether they were inside the thresholds. Empty for a checkpoint that nothing was searched for.
         */
        get: operations["listTrials"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/repositories/{namespace}/{name}/runs/{run}/checkpoints/{step}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop work on a checkpoint
         * @description Of an open reservation, a checkpoint that waits, or one being compressed. Uploaded bytes stay until it is deleted. One that is ready is refused.
         */
        post: operations["cancelCheckpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/repositories/{namespace}/{name}/runs/{run}/checkpoints/{step}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a failed checkpoint again
         * @description With the bytes that were uploaded, at its place in the order of the run; nothing is sent again, and later checkpoints stay as they are. It is measured with the eval set and the thresholds that the run has now (`PATCH` of the run gives it others), or with those of the body. What was tried before is forgotten. Refused while it is queued or being compressed, and once it is ready.
         */
        post: operations["retryCheckpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/repositories/{namespace}/{name}/runs/{run}/checkpoints/{step}/estimate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Describe the last estimate of a checkpoint
         * @description Its state, and once it is `done` what the checkpoint would take at its thresholds.
         */
        get: operations["getEstimate"];
        put?: never;
        /**
         * Find out what a ready checkpoint would take at other thresholds
         * @description Queues the search, the encoding and the verification that the checkpoint would have if it came now, with the upload that the run still keeps of its newest ready checkpoint; its result says config, bytes and metrics. Nothing is stored and nothing counts as usage; the checkpoint stays as it is. It waits while checkpoints do, and replaces the last estimate of the checkpoint. Refused with what to do if the upload is gone.
         */
        post: operations["estimateCheckpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/repositories/{namespace}/{name}/runs/{run}/checkpoints/{step}/estimate/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop the estimate of a checkpoint
         * @description At once if it waits, else soon. One that has ended stays as it is.
         */
        post: operations["cancelEstimate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/repositories/{namespace}/{name}/runs/{run}/checkpoints/{step}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow a checkpoint as server-sent events
         * @description `state` carries a Checkpoint, `trial` a Trial, `phase` `{phase, doneCount?, totalCount?}`. A state is sent again if the checkpoint waits for something else. Ends after a terminal state. The id of an event counts the trials so far: a client that reconnects with Last-Event-ID gets only those it has not seen.
         */
        get: operations["followCheckpoint"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/repositories/{namespace}/{name}/runs/{run}/checkpoints/{step}/files/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a file, rebuilt or as uploaded
         * @description By default what the checkpoint rebuilds, and for a moment 409 while it is compressed; with `as=uploaded` the upload while it is kept. One byte range at a time; only what it needs is decoded.
         */
        get: operations["getFile"];
        /**
         * Upload a file of a reserved checkpoint
         * @description The whole file in one body. It is checked while it arrives: its length and digest as announced, the header of a safetensors file. A refused body leaves nothing behind. Large files are better sent with a resumable upload.
         */
        put: operations["putFile"];
        post?: never;
        delete?: never;
        options?: never;
        /**
         * Size, digest and ETag of a file, from metadata alone
         * @description The header fields of the download, without decoding anything.
         */
        head: operations["headFile"];
        patch?: never;
        trace?: never;
    };
    "/v1/repositories/{namespace}/{name}/runs/{run}/checkpoints/{step}/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin a resumable upload of a file of a reserved checkpoint
         * @description With `Tus-Resumable` it is an upload of tus 1.0, whose bytes come in order; else the body says how large it is, and it comes in parts, in any order and at once. Location names it. It expires unless bytes come.
         */
        post: operations["createFileUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/repositories/{namespace}/{name}/eval-sets/{evalSet}/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin a resumable upload of the graph or the batches of an eval set
         * @description As that of a file of a checkpoint: of tus 1.0 with `Tus-Resumable`, else in parts. Its last byte puts the graph or the batches in their place.
         */
        post: operations["createEvalSetUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/repositories/{namespace}/{name}/uploads/{uploadId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Describe an upload
         * @description How much of it is durable, and when it expires.
         */
        get: operations["getUpload"];
        put?: never;
        post?: never;
        /**
         * Give an upload up
         * @description Its bytes are dropped. The checkpoint or the eval set stays as it is.
         */
        delete: operations["deleteUpload"];
        options?: never;
        /**
         * Where an upload is (tus)
         * @description `Upload-Offset` says where to go on after a break.
         */
        head: operations["headUpload"];
        /**
         * Send the next bytes (tus)
         * @description Bytes at `Upload-Offset`, which must be where the upload is. What was acknowledged is durable, even if the request breaks: ask for the offset with HEAD and go on. The last byte checks the whole.
         */
        patch: operations["patchUpload"];
        trace?: never;
    };
    "/v1/repositories/{namespace}/{name}/uploads/{uploadId}/parts/{number}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Send a part, in any order, any number of times
         * @description Each but the last has `partBytes` bytes. A part that is sent again replaces itself. Several may be on their way at once.
         */
        put: operations["putUploadPart"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/repositories/{namespace}/{name}/uploads/{uploadId}/parts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the parts that have arrived
         * @description What is missing has to be sent before the upload can be completed.
         */
        get: operations["listUploadParts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/repositories/{namespace}/{name}/uploads/{uploadId}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Put the parts together
         * @description Checks the whole as one body: length, digest, safetensors header. It then has its place, in the checkpoint or the eval set.
         */
        post: operations["completeUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/repositories/{namespace}/{name}/runs/{run}/checkpoints/{step}/tensors/{tensor}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the elements of one tensor, little-endian
         * @description Its bytes alone, of a safetensors file of a checkpoint that is ready, optionally in another floating-point dtype. Ranges are of these bytes.
         */
        get: operations["getTensor"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /**
         * Size, dtype and shape of one tensor
         * @description The header fields of the download, from metadata alone.
         */
        head: operations["headTensor"];
        patch?: never;
        trace?: never;
    };
    "/v1/repositories/{namespace}/{name}/runs/{run}/checkpoints/{step}/package": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the compressed form of a checkpoint
         * @description For clients that decode by themselves. A delta needs the package of its ancestor, which `Firn-Ancestor-Package` names and `Link` leads to: it may be in the repository of a base model. Who may not read that repository finds no package here, and downloads the files. The bytes of a package may change when old deltas are merged; its ETag then does too.
         */
        get: operations["getCheckpointPackage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /**
         * Size and id of a package
         * @description The header fields of the download: size, id, ancestor.
         */
        head: operations["headCheckpointPackage"];
        patch?: never;
        trace?: never;
    };
    "/v1/repositories/{namespace}/{name}/packages/{packageId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a package by its id, such as the ancestor of another
         * @description As the package of a checkpoint, by the id that another one names as its ancestor.
         */
        get: operations["getPackage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /**
         * Size of a package
         * @description The header fields of the download: size, id, ancestor.
         */
        head: operations["headPackage"];
        patch?: never;
        trace?: never;
    };
    "/v1/repositories/{namespace}/{name}/revisions/{revision}/packages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what a client downloads to rebuild a revision
         * @description The files of a revision with their digests, and the packages they are rebuilt from. With `have`, the delta between two revisions: what is not `held` is all that a client with the one needs for the other. Of a fine-tune that is stored against its base model the packages are listed to who may read the base too.
         */
        get: operations["getPull"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What namespaces take
         * @description Of every namespace that the token may read as a whole. Right after each change: what was deleted is no longer logical at once, and pending deletion until it is gone.
         */
        get: operations["listUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/repositories/{namespace}/{name}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a repository takes
         * @description Logical bytes are what was uploaded, stored bytes what lies in the store; the parts of `stored` add up to them.
         */
        get: operations["getRepositoryUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/quota": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a namespace may take
         * @description For a token that may read the whole namespace; 404 if it has no quota.
         */
        get: operations["getQuota"];
        /**
         * Limit what a namespace may take
         * @description For a token with admin on everything. The namespace need not have a repository yet. What is stored already stays, whatever the limit.
         */
        put: operations["putQuota"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tokens that one could have made
         * @description Revoked and expired ones are among them. A page may have fewer entries than asked for and still not be the last.
         */
        get: operations["listTokens"];
        put?: never;
        /**
         * Make a token
         * @description Only who holds admin on all that it grants may make one. The answer is the only place that shows its text, so it is not kept for an Idempotency-Key either.
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens/{tokenId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Describe a token that one could have made, or the one this is sent with
         * @description Its grants, and until when it holds. Its text was shown once, when it was made.
         */
        get: operations["getToken"];
        put?: never;
        post?: never;
        /**
         * Revoke a token, or the one this is sent with
         * @description It is refused from now on, and stays in the list as revoked.
         */
        delete: operations["revokeToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/whoami": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whose request this is, and what it may do
         * @description The token of the request with its grants. `anonymous` without one.
         */
        get: operations["getWhoami"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description Those of namespaces and repositories on which the token holds admin.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Send an address messages about what happens to checkpoints
         * @description A checkpoint is ready, failed, or turned out to be damaged: a JSON message is posted to the URL, signed as the Standard Webhooks specification says, until the receiver answers 2xx: ten attempts in two days. Needs the scope admin on the namespace, or on the repository. The answer is the only place that shows the secret, so it is not kept for an Idempotency-Key either.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhookId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Describe a webhook
         * @description The events that it gets messages about, and whether it is active. Its secret was shown once, when it was made.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook and its messages
         * @description Nothing is sent to it any more, but for what is on its way.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change where a webhook leads, which messages it gets, or whether it is active
         * @description What is not given stays. Messages that are not delivered yet go to the new URL.
         */
        patch: operations["changeWebhook"];
        trace?: never;
    };
    "/v1/webhooks/{webhookId}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what was sent to a webhook, the newest first
         * @description With how often each was tried, and what the receiver answered last. Messages are kept for two weeks.
         */
        get: operations["listWebhookMessages"];
        put?: never;
        /**
         * Send a message to try a webhook
         * @description A message of the type `ping`, also to one that is not active.
         */
        post: operations["pingWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhookId}/messages/{messageId}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a message again
         * @description Whatever became of it, with the same `webhook-id` and new attempts.
         */
        post: operations["resendWebhookMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the process answers
         * @description For a liveness probe. It asks neither the catalog nor the store, and looks at no token and no query parameter.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the process can do its work: catalog, store, workers
         * @description Looked at anew at most once a second. No token and no query parameter is looked at.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Prometheus metrics
         * @description For a token that may read everything. No query parameter is looked at.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This document
         * @description OpenAPI 3.1, of the version that runs.
         */
        get: operations["getOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/problems/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain a problem code
         * @description Its cause, what to do about it, and a case of it. `type` of a problem leads here.
         */
        get: operations["getProblemKind"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "checkpoint.ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A checkpoint is compressed, verified and can be pulled
         * @description Posted to the URL of each webhook that wants it. An answer in time is all that it needs.
         */
        post: operations["onCheckpointReady"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "checkpoint.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A checkpoint could not be compressed
         * @description Posted to the URL of each webhook that wants it. An answer in time is all that it needs.
         */
        post: operations["onCheckpointFailed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "checkpoint.damaged": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stored bytes that checkpoints need are corrupt or missing
         * @description Posted to the URL of each webhook that wants it. An answer in time is all that it needs.
         */
        post: operations["onCheckpointDamaged"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    ping: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Somebody tries the webhook
         * @description Posted to the URL of each webhook that wants it. An answer in time is all that it needs.
         */
        post: operations["onPing"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /**
         * @example {
         *       "namespace": "acme",
         *       "name": "lm-small",
         *       "type": "model",
         *       "visibility": "private",
         *       "hub": {
         *         "fidelity": "exact",
         *         "shows": "compressed"
         *       },
         *       "createdAt": "2026-01-02T03:04:05.000Z"
         *     }
         */
        Repository: {
            namespace: string;
            name: string;
            /** @enum {string} */
            type: "model" | "dataset" | "space";
            /** @enum {string} */
            visibility: "private" | "public";
            hub: components["schemas"]["HubSettings"];
            /** Format: date-time */
            createdAt: string;
        };
        /** @description How weights that hub clients push are kept. */
        HubSettings: {
            /** @enum {string} */
            fidelity: "exact" | "lossy";
            evalSet?: string;
            /**
             * @description Metric to largest degradation accepted in one checkpoint: a share of what the uploaded checkpoint has, or, of the kinds `kl-divergence`, `agreement` and `deviation`, the change itself. An object has several bounds, of which the tightest holds.
             * @example {
             *       "loss": 0.005
             *     }
             */
            thresholds?: {
                [key: string]: number | components["schemas"]["ThresholdBounds"];
            };
            /**
             * @description What a branch shows once a lossy checkpoint is ready: its compressed form, or what was pushed. The other form has a tag, `step-N-uploaded` or `step-N-compressed`.
             * @enum {string}
             */
            shows: "compressed" | "uploaded";
        };
        /**
         * @description Bounds on one metric, of which the tightest holds.
         * @example {
         *       "relative": 0.005,
         *       "progress": 0.5
         *     }
         */
        ThresholdBounds: {
            /** @description Largest share of what the uploaded checkpoint has that may be lost. */
            relative?: number;
            /** @description Largest change for the worse, in the metric's own unit. */
            absolute?: number;
            /** @description Largest share that may be lost of what the metric gained since the checkpoint before: the nearest earlier one of the run, or up to the fork point of the run it was forked from, that is ready and was measured on the same eval set. If the metric is no better than there, the gain is the mean per checkpoint since the nearest of the last 8 that it is better than; if there is none, the other bounds hold alone. Without `relative` and `absolute`, `relative` is 0.005 beside it. It makes these at most 10 times tighter. Where it is not given, it is 0.5 once training has gone on from rebuilt weights. */
            progress?: number;
        };
        /**
         * @description RFC 9457 problem details.
         * @example {
         *       "type": "/problems/invalid-request",
         *       "title": "The request is not valid",
         *       "status": 400,
         *       "code": "invalid-request",
         *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/unauthenticated",
         *       "title": "A valid token is needed",
         *       "status": 401,
         *       "code": "unauthenticated",
         *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/forbidden",
         *       "title": "The token does not allow this",
         *       "status": 403,
         *       "code": "forbidden",
         *       "detail": "This needs the scope write.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/rate-limited",
         *       "title": "Too many requests",
         *       "status": 429,
         *       "code": "rate-limited",
         *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/quota-exceeded",
         *       "title": "The namespace has no room left under its quota",
         *       "status": 403,
         *       "code": "quota-exceeded",
         *       "detail": "The namespace has no room left for this under its quota; delete checkpoints, or ask for a larger quota.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/not-found",
         *       "title": "Not found",
         *       "status": 404,
         *       "code": "not-found",
         *       "detail": "There is no such run.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/conflict",
         *       "title": "The state of the resource does not allow this",
         *       "status": 409,
         *       "code": "conflict",
         *       "detail": "The repository exists already.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/method-not-allowed",
         *       "title": "The method is not allowed here",
         *       "status": 405,
         *       "code": "method-not-allowed",
         *       "detail": "This path answers GET, HEAD.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/payload-too-large",
         *       "title": "The body is too large",
         *       "status": 413,
         *       "code": "payload-too-large",
         *       "detail": "The body is larger than 1 MiB.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/length-required",
         *       "title": "A Content-Length is needed",
         *       "status": 411,
         *       "code": "length-required",
         *       "detail": "The upload needs a Content-Length.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/length-mismatch",
         *       "title": "The body has another length than announced",
         *       "status": 400,
         *       "code": "length-mismatch",
         *       "detail": "The body has 100 bytes; 120 were announced.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/digest-mismatch",
         *       "title": "The body has another digest than announced",
         *       "status": 400,
         *       "code": "digest-mismatch",
         *       "detail": "The body has another sha-256 than announced.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/checksum-mismatch",
         *       "title": "The bytes have another checksum than announced",
         *       "status": 460,
         *       "code": "checksum-mismatch",
         *       "detail": "The bytes have another sha1 than announced.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/range-not-satisfiable",
         *       "title": "The range lies outside the file",
         *       "status": 416,
         *       "code": "range-not-satisfiable",
         *       "detail": "The byte range lies outside the file.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/precondition-failed",
         *       "title": "A precondition failed",
         *       "status": 412,
         *       "code": "precondition-failed",
         *       "detail": "The file has another ETag than If-Match asks for.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/idempotency-conflict",
         *       "title": "The idempotency key belongs to another request",
         *       "status": 409,
         *       "code": "idempotency-conflict",
         *       "detail": "The Idempotency-Key was used for another request.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/upload-incomplete",
         *       "title": "Announced files have not arrived",
         *       "status": 409,
         *       "code": "upload-incomplete",
         *       "detail": "1 of 3 parts have not arrived.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/upload-aborted",
         *       "title": "The upload ended early",
         *       "status": 400,
         *       "code": "upload-aborted",
         *       "detail": "The connection ended before the whole body had arrived.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/upload-busy",
         *       "title": "Another request has the upload",
         *       "status": 423,
         *       "code": "upload-busy",
         *       "detail": "Another request writes this upload.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/body-too-slow",
         *       "title": "The body arrives too slowly",
         *       "status": 408,
         *       "code": "body-too-slow",
         *       "detail": "The body arrives too slowly.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/empty-body",
         *       "title": "The body is empty",
         *       "status": 400,
         *       "code": "empty-body",
         *       "detail": "The body is empty.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/unsupported-media-type",
         *       "title": "The media type is not supported",
         *       "status": 415,
         *       "code": "unsupported-media-type",
         *       "detail": "The body must be application/json.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/header-truncated",
         *       "title": "The safetensors header is cut short",
         *       "status": 422,
         *       "code": "header-truncated",
         *       "detail": "The file ends inside its safetensors header.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/header-too-large",
         *       "title": "The safetensors header is too large",
         *       "status": 422,
         *       "code": "header-too-large",
         *       "detail": "The safetensors header announces 8386658438481404270 bytes; at most 100000000 are accepted.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/header-invalid",
         *       "title": "The safetensors header is not valid",
         *       "status": 422,
         *       "code": "header-invalid",
         *       "detail": "The safetensors header is not valid at byte 42: a tensor has no shape.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/tensor-overlap",
         *       "title": "Tensors overlap",
         *       "status": 422,
         *       "code": "tensor-overlap",
         *       "detail": "Tensor \"head.weight\" starts inside another one.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/tensor-gap",
         *       "title": "There are bytes that belong to no tensor",
         *       "status": 422,
         *       "code": "tensor-gap",
         *       "detail": "4 bytes before tensor \"head.weight\" belong to no tensor.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/tensor-size-mismatch",
         *       "title": "A tensor has another size than its shape and dtype",
         *       "status": 422,
         *       "code": "tensor-size-mismatch",
         *       "detail": "Tensor \"head.weight\" of F32 [2] does not fit its 4 bytes.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/tensor-duplicate",
         *       "title": "A tensor name occurs twice",
         *       "status": 422,
         *       "code": "tensor-duplicate",
         *       "detail": "Tensor \"head.weight\" appears twice in the safetensors header.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/dtype-unknown",
         *       "title": "A dtype is unknown",
         *       "status": 422,
         *       "code": "dtype-unknown",
         *       "detail": "Tensor \"head.weight\" has the unknown dtype \"F24\".",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/not-safetensors",
         *       "title": "The file is not safetensors",
         *       "status": 422,
         *       "code": "not-safetensors",
         *       "detail": "The file is not safetensors.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/layout-mismatch",
         *       "title": "The tensors differ from those of the run",
         *       "status": 422,
         *       "code": "layout-mismatch",
         *       "detail": "The tensor \"head.weight\" has the shape [1024, 128] here and [1024, 96] in step 1100.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/step-exists",
         *       "title": "The step exists with other bytes",
         *       "status": 409,
         *       "code": "step-exists",
         *       "detail": "The run has a checkpoint of step 1200 already.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/run-not-ready",
         *       "title": "The run is not ready",
         *       "status": 409,
         *       "code": "run-not-ready",
         *       "detail": "The run does not take checkpoints now.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/run-closed",
         *       "title": "The run is closed",
         *       "status": 409,
         *       "code": "run-closed",
         *       "detail": "The run is closed and takes no new steps. To go on with it, open it again: PATCH the run with {\"final\": false}.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/checkpoint-not-ready",
         *       "title": "The checkpoint is not ready yet",
         *       "status": 409,
         *       "code": "checkpoint-not-ready",
         *       "detail": "The checkpoint is still being compressed. Its uploaded bytes are at ?as=uploaded.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/checkpoint-failed",
         *       "title": "The checkpoint failed",
         *       "status": 409,
         *       "code": "checkpoint-failed",
         *       "detail": "The step to fork from is failed; fork from another.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/graph-invalid",
         *       "title": "The graph is not valid",
         *       "status": 422,
         *       "code": "graph-invalid",
         *       "detail": "The graph has no output.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/graph-external-data",
         *       "title": "The graph refers to data outside itself",
         *       "status": 422,
         *       "code": "graph-external-data",
         *       "detail": "Tensor \"head.weight\" of the graph refers to data outside the file.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/graph-missing-weights",
         *       "title": "The graph has weights that nothing provides",
         *       "status": 422,
         *       "code": "graph-missing-weights",
         *       "detail": "The graph leaves initializers to be filled that nothing fills: \"head.weight\".",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/eval-input-mismatch",
         *       "title": "An input does not fit the graph",
         *       "status": 422,
         *       "code": "eval-input-mismatch",
         *       "detail": "Input \"idx\" is fed from \"idx\", which the batches file does not have; it has \"inputs\" (I64 [48, 128]), \"labels\" (I64 [48, 128]).",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/eval-label-mismatch",
         *       "title": "Labels do not fit the metric",
         *       "status": 422,
         *       "code": "eval-label-mismatch",
         *       "detail": "Metric \"loss\" reads labels \"targets\", which the batches file does not have; it has \"labels\" (I64 [48, 128]).",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/eval-timeout",
         *       "title": "The evaluation took too long",
         *       "status": 422,
         *       "code": "eval-timeout",
         *       "detail": "The evaluation took longer than 600 s.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/eval-memory",
         *       "title": "The evaluation took too much memory",
         *       "status": 422,
         *       "code": "eval-memory",
         *       "detail": "The evaluation needs more memory than it is allowed.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/eval-crashed",
         *       "title": "The evaluation crashed",
         *       "status": 422,
         *       "code": "eval-crashed",
         *       "detail": "The evaluation process ended unexpectedly.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/eval-device",
         *       "title": "The evaluation failed on the GPU",
         *       "status": 422,
         *       "code": "eval-device",
         *       "detail": "The evaluation failed on the GPU.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/eval-set-not-ready",
         *       "title": "The eval set is not ready",
         *       "status": 409,
         *       "code": "eval-set-not-ready",
         *       "detail": "The eval set has not been committed, or its check failed.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/metric-unknown",
         *       "title": "A metric is unknown",
         *       "status": 422,
         *       "code": "metric-unknown",
         *       "detail": "Two metrics of the eval set have the same name.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/corrupt-object",
         *       "title": "Stored bytes are damaged",
         *       "status": 500,
         *       "code": "corrupt-object",
         *       "detail": "A stored object is damaged, and kept from being read.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/corrupt-package",
         *       "title": "A stored package is damaged",
         *       "status": 500,
         *       "code": "corrupt-package",
         *       "detail": "The stored package is damaged and cannot be read.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/unsupported-format",
         *       "title": "A stored package has an unknown version",
         *       "status": 500,
         *       "code": "unsupported-format",
         *       "detail": "The package has a format version this server cannot read.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/storage-full",
         *       "title": "The storage is full",
         *       "status": 507,
         *       "code": "storage-full",
         *       "detail": "The storage takes no file as large as this.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/unavailable",
         *       "title": "The storage cannot be reached",
         *       "status": 503,
         *       "code": "unavailable",
         *       "detail": "The storage takes too long to answer.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/overloaded",
         *       "title": "Too much is waiting",
         *       "status": 503,
         *       "code": "overloaded",
         *       "detail": "The catalog is busy or out of reach; try again.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/cancelled",
         *       "title": "The work was cancelled",
         *       "status": 409,
         *       "code": "cancelled",
         *       "detail": "The checkpoint was cancelled. Its uploaded bytes are at ?as=uploaded.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/native-failure",
         *       "title": "The codec failed",
         *       "status": 500,
         *       "code": "native-failure",
         *       "detail": "The server failed to answer this request. The request id finds the reason in its log.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         * @example {
         *       "type": "/problems/internal",
         *       "title": "Something went wrong",
         *       "status": 500,
         *       "code": "internal",
         *       "detail": "The server failed to answer this request. The request id finds the reason in its log.",
         *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
         *     }
         */
        Problem: {
            /**
             * @description A URI reference that explains the code.
             * @example /problems/not-found
             */
            type: string;
            /** @example Not found */
            title: string;
            /** @example 404 */
            status: number;
            /**
             * @description Stable; what a program should look at.
             * @example not-found
             * @enum {string}
             */
            code: "invalid-request" | "unauthenticated" | "forbidden" | "rate-limited" | "quota-exceeded" | "not-found" | "conflict" | "method-not-allowed" | "payload-too-large" | "length-required" | "length-mismatch" | "digest-mismatch" | "checksum-mismatch" | "range-not-satisfiable" | "precondition-failed" | "idempotency-conflict" | "upload-incomplete" | "upload-aborted" | "upload-busy" | "body-too-slow" | "empty-body" | "unsupported-media-type" | "header-truncated" | "header-too-large" | "header-invalid" | "tensor-overlap" | "tensor-gap" | "tensor-size-mismatch" | "tensor-duplicate" | "dtype-unknown" | "not-safetensors" | "layout-mismatch" | "step-exists" | "run-not-ready" | "run-closed" | "checkpoint-not-ready" | "checkpoint-failed" | "graph-invalid" | "graph-external-data" | "graph-missing-weights" | "eval-input-mismatch" | "eval-label-mismatch" | "eval-timeout" | "eval-memory" | "eval-crashed" | "eval-device" | "eval-set-not-ready" | "metric-unknown" | "corrupt-object" | "corrupt-package" | "unsupported-format" | "storage-full" | "unavailable" | "overloaded" | "cancelled" | "native-failure" | "internal";
            /**
             * @description A sentence for people.
             * @example There is no such run.
             */
            detail: string;
            /**
             * @description Names the request in the log.
             * @example 6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a
             */
            requestId: string;
        };
        /**
         * @example {
         *       "namespace": "acme",
         *       "name": "lm-small"
         *     }
         */
        RepositoryInput: {
            /** @example acme */
            namespace: string;
            /** @example lm-small */
            name: string;
            /**
             * @description `model` by default.
             * @enum {string}
             */
            type?: "model" | "dataset" | "space";
            /**
             * @description `private` by default; `public` can be read by everybody, without a token.
             * @enum {string}
             */
            visibility?: "private" | "public";
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "namespace": "acme",
         *           "name": "lm-small",
         *           "type": "model",
         *           "visibility": "private",
         *           "hub": {
         *             "fidelity": "exact",
         *             "shows": "compressed"
         *           },
         *           "createdAt": "2026-01-02T03:04:05.000Z"
         *         }
         *       ]
         *     }
         */
        RepositoryList: {
            items: components["schemas"]["Repository"][];
            /** @description Value of `after` for the next page; absent on the last. */
            next?: string;
        };
        /**
         * @example {
         *       "visibility": "public"
         *     }
         */
        RepositoryChange: {
            /** @enum {string} */
            visibility?: "private" | "public";
            hub?: components["schemas"]["HubSettingsInput"];
        };
        /**
         * @description How weights that hub clients push (`push_to_hub`, `hf upload`) are kept from now on; replaces the settings as a whole.
         * @example {
         *       "fidelity": "lossy",
         *       "evalSet": "held-out",
         *       "thresholds": {
         *         "loss": 0.01
         *       }
         *     }
         */
        HubSettingsInput: {
            /**
             * @description `exact`: every file comes back as it was pushed. `lossy`: weights are compressed inside the thresholds.
             * @enum {string}
             */
            fidelity: "exact" | "lossy";
            /**
             * @description Name of a ready eval set of the repository.
             * @example held-out
             */
            evalSet?: string;
            /**
             * @description Metric to largest degradation accepted in one checkpoint. By default 0.005 (half a percent) on the first metric of the eval set. One above 0.5 needs `allowLarge`. An object has several bounds, of which the tightest holds, `progress` among them. The answer says in `thresholdsInWords` what they allow.
             * @example {
             *       "loss": 0.005
             *     }
             */
            thresholds?: {
                [key: string]: number | components["schemas"]["ThresholdBounds"];
            };
            /** @description Must be true where a threshold is above 0.5: it lets through what most would call damage. */
            allowLarge?: boolean;
            /**
             * @description What a branch shows once a lossy checkpoint is ready: its compressed form, or what was pushed. The other form has a tag, `step-N-uploaded` or `step-N-compressed`.
             * @enum {string}
             */
            shows?: "compressed" | "uploaded";
        };
        /**
         * @example {
         *       "name": "held-out",
         *       "state": "ready",
         *       "spec": {
         *         "inputs": {
         *           "idx": "inputs"
         *         },
         *         "metrics": [
         *           {
         *             "kind": "cross-entropy",
         *             "name": "loss",
         *             "labels": "labels",
         *             "output": "logits"
         *           }
         *         ]
         *       },
         *       "graph": {
         *         "sizeBytes": 1892657,
         *         "sha256": "374b53a833038f7a57f822dd1434878da6426c8bfebdcc104cec4198fa778282"
         *       },
         *       "batches": {
         *         "sizeBytes": 98536,
         *         "sha256": "08a05fb41518e682fd1ef1f6119e3a25e6de30a04979fabeb1f8da0ba8966f21"
         *       },
         *       "createdAt": "2026-01-02T03:04:26.939Z"
         *     }
         */
        EvalSet: {
            name: string;
            /** @enum {string} */
            state: "open" | "ready" | "failed";
            spec: components["schemas"]["EvalSetSpec"];
            graph?: {
                sizeBytes: number;
                sha256: string;
            };
            batches?: {
                sizeBytes: number;
                sha256: string;
            };
            error?: {
                /** @enum {string} */
                code: "invalid-request" | "unauthenticated" | "forbidden" | "rate-limited" | "quota-exceeded" | "not-found" | "conflict" | "method-not-allowed" | "payload-too-large" | "length-required" | "length-mismatch" | "digest-mismatch" | "checksum-mismatch" | "range-not-satisfiable" | "precondition-failed" | "idempotency-conflict" | "upload-incomplete" | "upload-aborted" | "upload-busy" | "body-too-slow" | "empty-body" | "unsupported-media-type" | "header-truncated" | "header-too-large" | "header-invalid" | "tensor-overlap" | "tensor-gap" | "tensor-size-mismatch" | "tensor-duplicate" | "dtype-unknown" | "not-safetensors" | "layout-mismatch" | "step-exists" | "run-not-ready" | "run-closed" | "checkpoint-not-ready" | "checkpoint-failed" | "graph-invalid" | "graph-external-data" | "graph-missing-weights" | "eval-input-mismatch" | "eval-label-mismatch" | "eval-timeout" | "eval-memory" | "eval-crashed" | "eval-device" | "eval-set-not-ready" | "metric-unknown" | "corrupt-object" | "corrupt-package" | "unsupported-format" | "storage-full" | "unavailable" | "overloaded" | "cancelled" | "native-failure" | "internal";
                message: string;
            };
            /** Format: date-time */
            createdAt: string;
        };
        EvalSetSpec: {
            /**
             * @description Graph input to tensor of the batches.
             * @example {
             *       "input_ids": "input_ids"
             *     }
             */
            inputs: {
                [key: string]: string;
            };
            metrics: {
                /**
                 * @description Unique in the set; thresholds refer to it.
                 * @example loss
                 */
                name: string;
                /**
                 * @description What is measured, and of what. Rules of each kind:
                 *
                 *     | kind | what it is | output | labels | better | threshold | unit | left out |
                 *     | --- | --- | --- | --- | --- | --- | --- | --- |
                 *     | `loss` | the mean of an output that is a loss already, each batch weighted by its rows | a scalar, or one value a row or position; a mean, not a sum, since a sum follows `batchRows` | none; the graph may take them as inputs | lower | relative | that of the output | nothing |
                 *     | `cross-entropy` | mean over positions of minus the log-probability that softmax gives the label | logits `[N, ..., C]`, or `[N, C, ...]` with the classes second (segmentation), floating; not probabilities | class indices without the class axis, `[N, ...]`, whole numbers from 0 to C-1; or, with `"labels": "probabilities"` in the spec, one probability a class in the shape of the logits (one-hot is one of these) | lower | relative | nats | positions whose label is `ignoreLabel`; of probabilities those that are `ignoreLabel` throughout |
                 *     | `perplexity` | exp(cross-entropy); a threshold t bounds the rise of the cross-entropy by ln(1 + t) nats | logits `[N, ..., C]`, or `[N, C, ...]` with the classes second (segmentation), floating; not probabilities | class indices without the class axis, `[N, ...]`, whole numbers from 0 to C-1; or, with `"labels": "probabilities"` in the spec, one probability a class in the shape of the logits (one-hot is one of these) | lower | relative | 1 (the exponential of the cross-entropy) | positions whose label is `ignoreLabel`; of probabilities those that are `ignoreLabel` throughout |
                 *     | `accuracy` | share of positions whose largest logit is the label (of probabilities: their largest) | logits `[N, ..., C]`, or `[N, C, ...]` with the classes second (segmentation), floating; not probabilities | class indices without the class axis, `[N, ...]`, whole numbers from 0 to C-1; or, with `"labels": "probabilities"` in the spec, one probability a class in the shape of the logits (one-hot is one of these) | higher | relative | share of positions | positions whose label is `ignoreLabel`; of probabilities those that are `ignoreLabel` throughout |
                 *     | `top-k-accuracy` | share of positions whose label is among the `k` largest logits (5 unless `k` is given) | logits `[N, ..., C]`, or `[N, C, ...]` with the classes second (segmentation), floating; not probabilities | class indices without the class axis, `[N, ...]`, whole numbers from 0 to C-1; or, with `"labels": "probabilities"` in the spec, one probability a class in the shape of the logits (one-hot is one of these) | higher | relative | share of positions | positions whose label is `ignoreLabel`; of probabilities those that are `ignoreLabel` throughout |
                 *     | `f1` | mean over classes of the harmonic mean of precision and recall (macro F1), over the classes that occur in labels or answers | logits `[N, ..., C]`, or `[N, C, ...]` with the classes second (segmentation), floating; not probabilities | class indices without the class axis, `[N, ...]`, whole numbers from 0 to C-1; or, with `"labels": "probabilities"` in the spec, one probability a class in the shape of the logits (one-hot is one of these) | higher | relative | 0 to 1 | positions whose label is `ignoreLabel`; of probabilities those that are `ignoreLabel` throughout |
                 *     | `binary-cross-entropy` | mean over all values of the cross-entropy of a target under the sigmoid of its logit | one logit a target, any shape, floating; not probabilities | targets from 0 to 1 in the shape of the output | lower | relative | nats | values whose label is `ignoreLabel` |
                 *     | `binary-accuracy` | share of values where logit > 0 agrees with target > 0.5 | one logit a target, any shape, floating; not probabilities | targets from 0 to 1 in the shape of the output | higher | relative | share of values | values whose label is `ignoreLabel` |
                 *     | `mse` | mean of the squared differences | any shape, floating | the shape of the output, floating | lower | relative | that of the output, squared | values whose label is `ignoreLabel` |
                 *     | `pearson` | Pearson's correlation over all values | any shape, floating | the shape of the output, floating | higher | relative | -1 to 1 | values whose label is `ignoreLabel` |
                 *     | `kl-divergence` | mean over positions of the divergence from the uploaded model's distribution to the rebuilt one's; 0 for the uploaded model | logits `[N, ..., C]` (or `[N, C, ...]` with `"classAxis": "second"`); with a last axis of one, one logit a value | none needed; where given, they only say which positions to leave out | lower | absolute | nats | positions whose label is `ignoreLabel`; of probabilities those that are `ignoreLabel` throughout |
                 *     | `agreement` | share of positions whose top choice is the uploaded model's; 1 for the uploaded model, and a threshold of 0.01 lets one position in a hundred change | logits `[N, ..., C]` (or `[N, C, ...]` with `"classAxis": "second"`); with a last axis of one, one logit a value | none needed; where given, they only say which positions to leave out | higher | absolute | share of positions | positions whose label is `ignoreLabel`; of probabilities those that are `ignoreLabel` throughout |
                 *     | `deviation` | mean of the squared differences from the uploaded model's output; 0 for the uploaded model | any shape, floating | none needed; where given, in the shape of the output, they only say which values to leave out | lower | absolute | that of the output, squared | values whose label is `ignoreLabel` |
                 * @enum {string}
                 */
                kind: "loss" | "cross-entropy" | "perplexity" | "accuracy" | "top-k-accuracy" | "f1" | "binary-cross-entropy" | "binary-accuracy" | "mse" | "pearson" | "kl-divergence" | "agreement" | "deviation";
                /**
                 * @description Graph output.
                 * @example logits
                 */
                output: string;
                /**
                 * @description Tensor of the batches with the labels. Not needed by `loss`, `kl-divergence`, `agreement`, `deviation`.
                 * @example labels
                 */
                labels?: string;
                /**
                 * @description Where the classes of the output are: on its last axis, or on its second (`[N, C, H, W]`, segmentation). Found from the shapes of output and labels where they leave no doubt; where they do, it is asked for.
                 * @enum {string}
                 */
                classAxis?: "last" | "second";
                /** @description Of the kind `top-k-accuracy` alone: how many of the largest logits count; 5 by default. */
                k?: number;
            }[];
            /**
             * @description What labels of classes are: the index of a class for each position, or a probability for each class (one-hot labels are these), in the shape of the logits. Both are softmax cross-entropy. Without it they are indices, and labels in the shape of the logits are refused.
             * @enum {string}
             */
            labels?: "indices" | "probabilities";
            /**
             * @description Positions with this label count in no metric.
             * @example -100
             */
            ignoreLabel?: number;
            /** @description Rows fed at once; 16 by default. */
            batchRows?: number;
            /**
             * @description Graph initializer to checkpoint tensor, where names differ.
             * @example {
             *       "onnx::MatMul_12": {
             *         "tensor": "fc.weight",
             *         "transpose": true
             *       }
             *     }
             */
            tensorMap?: {
                [key: string]: {
                    tensor: string;
                    transpose?: boolean;
                };
            };
            /**
             * @description Floating-point constants of the graph that are no weights of the checkpoint, by name; `*` stands for any characters. Any other that no tensor fills fails the checkpoint, so that numbers of the graph are never mistaken for those of the checkpoint.
             * @example [
             *       "rotary.inv_freq",
             *       "*.causal_mask"
             *     ]
             */
            constants?: string[];
            /**
             * @description Tensors of the checkpoint that the graph leaves out on purpose, by name; `*` stands for any characters. They fill nothing, and nothing is refused or doubted because nothing uses them. Of two sets of weights that would fill the graph it names the one that is not measured.
             * @example [
             *       "ema_model.*"
             *     ]
             */
            unused?: string[];
            /** @description Takes figures as they are that are worse than guessing, or whose labels look shifted by one. Without it a checkpoint with such a figure is stored exact, unless the training job reported the same figure (`expects`). */
            allowDoubted?: boolean;
        };
        /**
         * @example {
         *       "name": "held-out",
         *       "spec": {
         *         "inputs": {
         *           "idx": "inputs"
         *         },
         *         "metrics": [
         *           {
         *             "kind": "cross-entropy",
         *             "name": "loss",
         *             "labels": "labels",
         *             "output": "logits"
         *           }
         *         ]
         *       }
         *     }
         */
        EvalSetInput: {
            /** @example held-out */
            name: string;
            spec: components["schemas"]["EvalSetSpec"];
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "name": "held-out",
         *           "state": "ready",
         *           "spec": {
         *             "inputs": {
         *               "idx": "inputs"
         *             },
         *             "metrics": [
         *               {
         *                 "kind": "cross-entropy",
         *                 "name": "loss",
         *                 "labels": "labels",
         *                 "output": "logits"
         *               }
         *             ]
         *           },
         *           "graph": {
         *             "sizeBytes": 1892657,
         *             "sha256": "374b53a833038f7a57f822dd1434878da6426c8bfebdcc104cec4198fa778282"
         *           },
         *           "batches": {
         *             "sizeBytes": 98536,
         *             "sha256": "08a05fb41518e682fd1ef1f6119e3a25e6de30a04979fabeb1f8da0ba8966f21"
         *           },
         *           "createdAt": "2026-01-02T03:04:26.939Z"
         *         }
         *       ]
         *     }
         */
        EvalSetList: {
            items: components["schemas"]["EvalSet"][];
            next?: string;
        };
        /**
         * @example {
         *       "name": "held-out",
         *       "state": "ready",
         *       "spec": {
         *         "inputs": {
         *           "idx": "inputs"
         *         },
         *         "metrics": [
         *           {
         *             "kind": "cross-entropy",
         *             "name": "loss",
         *             "labels": "labels",
         *             "output": "logits"
         *           }
         *         ]
         *       },
         *       "graph": {
         *         "sizeBytes": 1892657,
         *         "sha256": "374b53a833038f7a57f822dd1434878da6426c8bfebdcc104cec4198fa778282"
         *       },
         *       "batches": {
         *         "sizeBytes": 98536,
         *         "sha256": "08a05fb41518e682fd1ef1f6119e3a25e6de30a04979fabeb1f8da0ba8966f21"
         *       },
         *       "createdAt": "2026-01-02T03:04:26.939Z",
         *       "check": {
         *         "values": {
         *           "loss": 4.5496
         *         },
         *         "understood": [
         *           "48 rows in 3 batches; fed: \"idx\" from \"inputs\" (I64 [48, 128]).",
         *           "\"loss\": cross-entropy of logits [48, 128, 1024] with labels [48, 128], 6,144 positions; 4.5496 (6.9315 for guessing)."
         *         ],
         *         "warnings": [],
         *         "secondsPerEvaluation": 0.55
         *       }
         *     }
         */
        CheckedEvalSet: components["schemas"]["EvalSet"] & {
            check?: components["schemas"]["EvalSetReport"];
        };
        /**
         * @example {
         *       "values": {
         *         "loss": 4.5496
         *       },
         *       "understood": [
         *         "48 rows in 3 batches; fed: \"idx\" from \"inputs\" (I64 [48, 128]).",
         *         "\"loss\": cross-entropy of logits [48, 128, 1024] with labels [48, 128], 6,144 positions; 4.5496 (6.9315 for guessing)."
         *       ],
         *       "warnings": [],
         *       "secondsPerEvaluation": 0.55
         *     }
         */
        EvalSetReport: {
            /**
             * @description Each metric of the checkpoint as uploaded; null when not finite.
             * @example {
             *       "loss": 4.4903
             *     }
             */
            values: {
                [key: string]: number | null;
            };
            /**
             * @description How graph, batches, labels and weights were read.
             * @example [
             *       "\"loss\": cross-entropy of logits [48, 128, 1024] with labels [48, 128], 6,144 positions; 4.4903 (6.9315 for guessing)."
             *     ]
             */
            understood: string[];
            /** @description What looks like a mistake: a loss worse than guessing, labels shifted by one, inputs that are not finite. */
            warnings: string[];
            /** @description What one evaluation took; a checkpoint takes about five. */
            secondsPerEvaluation: number;
        };
        /**
         * @example {
         *       "name": "train",
         *       "fidelity": "lossy",
         *       "evalSet": "held-out",
         *       "thresholds": {
         *         "loss": 0.005
         *       },
         *       "thresholdsInWords": [
         *         "loss may grow by at most 0.5 % of the uploaded checkpoint's"
         *       ],
         *       "search": {
         *         "bins": [
         *           4,
         *           6,
         *           8,
         *           12,
         *           16,
         *           32
         *         ],
         *         "method": "residual",
         *         "rounding": "nearest",
         *         "bitPrices": [
         *           32,
         *           16,
         *           8,
         *           4,
         *           2,
         *           1
         *         ],
         *         "trialsMax": 64,
         *         "clustering": "kmeanspp",
         *         "hysteresis": "fixed",
         *         "evalBatches": "all",
         *         "codebookSeed": "run",
         *         "divergenceMax": 1,
         *         "embeddingBins": [
         *           16,
         *           32
         *         ],
         *         "expectsWithin": 0.01,
         *         "pruneFractions": [
         *           0.5,
         *           0.4,
         *           0.3,
         *           0.2,
         *           0.1,
         *           0
         *         ],
         *         "standardErrors": 1,
         *         "weightErrorMax": 0.5,
         *         "protectFractions": [
         *           0.0005,
         *           0.005,
         *           0.01
         *         ],
         *         "neighbourhoodRadius": 1,
         *         "neverMoreAggressive": false
         *       },
         *       "state": {
         *         "firstMoment": "exact",
         *         "secondMoment": "exact",
         *         "momentum": "exact"
         *       },
         *       "device": "preferred",
         *       "layerTypes": {},
         *       "seed": "9233745440816036729",
         *       "checkpointCounts": {
         *         "open": 0,
         *         "queued": 1,
         *         "working": 1,
         *         "ready": 12,
         *         "failed": 0,
         *         "cancelled": 0
         *       },
         *       "final": false,
         *       "createdAt": "2026-01-02T03:04:28.254Z"
         *     }
         */
        Run: {
            name: string;
            /** @enum {string} */
            fidelity: "exact" | "lossy";
            evalSet?: string;
            /**
             * @description Metric to largest degradation accepted in one checkpoint: a share of what the uploaded checkpoint has, or, of the kinds `kl-divergence`, `agreement` and `deviation`, the change itself. An object has several bounds, of which the tightest holds.
             * @example {
             *       "loss": 0.005
             *     }
             */
            thresholds: {
                [key: string]: number | components["schemas"]["ThresholdBounds"];
            };
            /**
             * @description What each threshold lets a checkpoint lose.
             * @example [
             *       "loss may grow by at most 0.5 % of the uploaded checkpoint's"
             *     ]
             */
            thresholdsInWords: string[];
            search: components["schemas"]["SearchOptions"];
            state: components["schemas"]["StateOptions"];
            device: components["schemas"]["DeviceWish"];
            layerTypes: {
                [key: string]: "embedding" | "linear" | "convolution" | "norm" | "bias" | "buffer";
            };
            /** @description Seed of every codebook of the run, in decimal. */
            seed: string;
            forkedFrom?: {
                run: string;
                step: number;
            };
            /** @description How many checkpoints of it are in each state. */
            checkpointCounts: {
                open?: number;
                queued?: number;
                working?: number;
                ready?: number;
                failed?: number;
                cancelled?: number;
            };
            /** @description Whether the run is closed: it takes no new steps. */
            final: boolean;
            /** Format: date-time */
            closedAt?: string;
            /** Format: date-time */
            createdAt: string;
        };
        /** @description How the checkpoints of a run are searched. Axes are those of the method `inshrinkerator` and go from most to least aggressive; together they may span at most 8192 configs, the two prune metrics counted. */
        SearchOptions: {
            /** @enum {string} */
            method: "inshrinkerator" | "residual" | "lc-checkpoint" | "bitsnap";
            /** @description Most trials of one checkpoint. */
            trialsMax: number;
            /**
             * @description With `halves` thresholds must hold on the batches of the eval set with an even number, be confirmed on those with an odd one, and hold on the whole: the search cannot fit one half. The set needs at least two batches (`batchRows`), and a quarter of its rows in each half.
             * @enum {string}
             */
            evalBatches: "all" | "halves";
            /** @description Largest root mean square error of any quantized tensor, in standard deviations of its weights. A tensor that came back as its mean would be at 1. With the method `residual` no tensor has coarser quantization steps than it allows, whatever the metrics say and whatever step is given; with others the config does not pass. With null the metrics alone decide. */
            weightErrorMax?: number;
            /** @description How many standard errors, over the examples of the eval set, a degradation stays inside its threshold by. With 0 the threshold holds for these examples alone; with 1 for other examples of the same distribution too, in five of six cases. */
            standardErrors?: number;
            /** @description How far the outputs of the rebuilt model may be from the uploaded model's: the divergence of Kullback and Leibler for classes, the mean squared difference for real values, in multiples of what the thresholds let the loss grow by. With null the metrics alone decide. */
            divergenceMax?: number;
            /** @description How far what Firn measures of an uploaded checkpoint may be from what the training job measured (`expects` of the checkpoint), as a share of that; beyond it the checkpoint is stored exact, with both figures in the reason. 0.01 by default. */
            expectsWithin?: number;
            bins: number[];
            embeddingBins: number[];
            pruneFractions: number[];
            protectFractions: number[];
            /** @description Of the clustering `entropy`: what a bit a weight is worth, in the squared error that optimal k-means leaves with as many bins. */
            bitPrices?: number[];
            /** @description From the second checkpoint on: how many places on each axis a config may be from the last one. */
            neighbourhoodRadius: number;
            /** @description From the second checkpoint on: no config is tried that is more aggressive than the last one. */
            neverMoreAggressive: boolean;
            /**
             * @description How codebooks of `inshrinkerator` are made: `kmeanspp` as the paper does, `optimal` as the best k-means there is, or `entropy` as the cells that cost least in squared error and in bits together, at the prices of `bitPrices`.
             * @enum {string}
             */
            clustering: "kmeanspp" | "optimal" | "entropy";
            /**
             * @description Of the clustering `kmeanspp`: with `run` one seed serves all checkpoints of a run, so that codebooks of weights that stay do too; with `checkpoint` each has a fresh one.
             * @enum {string}
             */
            codebookSeed?: "run" | "checkpoint";
            /**
             * @description Of the method `residual`: with `nearest` rebuilt checkpoints follow training. A weight moves wherever another step is nearer; while the upload of the checkpoint before is kept, weights that training moved do so earlier, and the others later. With `archive` a weight moves only where that is worth its bits. That takes fewer bytes, and rebuilt checkpoints lag behind: it is for those that nobody will train on.
             * @enum {string}
             */
            rounding: "nearest" | "archive";
            /**
             * @description Of the method `residual` with rounding `archive`: with `fixed` what a weight has to gain to move is the same for all; with `priced` it goes with the bits that its move costs more than staying, after what it and those like it did before.
             * @enum {string}
             */
            hysteresis?: "fixed" | "priced";
            fixedConfig?: components["schemas"]["QuantizationConfig"];
        };
        /** @description Used for every checkpoint instead of a search. */
        QuantizationConfig: components["schemas"]["InshrinkeratorConfig"] | components["schemas"]["ResidualConfig"] | components["schemas"]["LcCheckpointConfig"] | components["schemas"]["BitsnapConfig"];
        /**
         * @example {
         *       "method": "inshrinkerator",
         *       "bins": 8,
         *       "embeddingBins": 16,
         *       "pruneFraction": 0.2,
         *       "pruneMetric": "magnitude",
         *       "protectFraction": 0.005
         *     }
         */
        InshrinkeratorConfig: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "inshrinkerator";
            bins: number;
            embeddingBins: number;
            pruneFraction: number;
            protectFraction: number;
            /** @description Codebooks are entropy-constrained: what a bit a weight is worth, in the squared error that optimal k-means leaves with as many bins. Without it they are k-means. */
            bitPrice?: number;
            /** @enum {string} */
            pruneMetric: "magnitude" | "sensitivity";
        };
        /**
         * @example {
         *       "method": "residual",
         *       "step": -16
         *     }
         */
        ResidualConfig: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "residual";
            /** @description Index of the quantization step of an average tensor (no training step), in 1/32 octaves of the standard deviation of all quantized matrices: 0 is one standard deviation, 32 two. */
            step: number;
            /**
             * @description The quantization step itself, in standard deviations of all quantized matrices: 2^(step/32). It follows from `step`.
             * @example 0.7071
             */
            stepSize?: number;
        };
        /**
         * @example {
         *       "method": "lc-checkpoint",
         *       "bits": 3
         *     }
         */
        LcCheckpointConfig: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "lc-checkpoint";
            /** @description Bits of priority promotion, the paper's x: of what changed since the ancestor the 2^bits - 1 buckets of the largest exponents are kept in every block, the others count as no change. A base is whole, whatever they are. */
            bits: number;
        };
        /**
         * @example {
         *       "method": "bitsnap",
         *       "baseEvery": 10
         *     }
         */
        BitsnapConfig: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "bitsnap";
            /** @description A base every so many checkpoints; those between are deltas to it. 10 where a run gives no config. */
            baseEvery: number;
        };
        /** @description How the tensors of optimizer files are kept: `exact` byte for byte; `bounded` so that no element of the next update of Adam moves by more than a tenth of the learning rate and a fifth of itself (before the correction of bias, which in the first ten steps of a run can make more of it; at an epsilon of 1e-8 or more, second moments of at most 1e38), and momentum by no more than a fifth of the root mean square of its row or so; `bitsnap` by the clusters of that paper, twelve bits an element. Tensors that are no moments, of one number, or not F32, stay exact, and so does a first moment that is to be `bounded` without its second moments as F32 in the same file and shape; warnings say of which, and of roles that no tensor has. Independent of `fidelity`, which is of the weights. `master` is of F32 copies of the weights, which training in 16 bits keeps: `exact` (the default), or `weights`: they come back as the weights of the model do, and take no bytes; where the uploaded weights are not rounded from them they stay exact, and a warning says so. */
        StateOptions: {
            /** @enum {string} */
            firstMoment: "exact" | "bitsnap" | "bounded";
            /** @enum {string} */
            secondMoment: "exact" | "bitsnap" | "bounded";
            /** @enum {string} */
            momentum: "exact" | "bitsnap" | "bounded";
            /** @enum {string} */
            master?: "exact" | "weights";
            /**
             * @description What marks tensors of a role besides the usual words, before which it decides. An entry is a part of dotted names (`mu`), a whole name (`opt.first.layer1.weight`), or a pattern of whole names, in which `*` is any characters (`m_*`, `exp_avg/*`). A first moment belongs to the second moment whose name is the same without the part; of whole names and patterns, to that of the entry at the same place in the list of `secondMoment`, each `*` standing for the same. The usual words are `exp_avg`, `exp_avg_sq`, `momentum_buffer`, `master_param`, `main_param`, `fp32_params` and the like, anywhere in a dotted name, and after these `m`, `v`, `momentum`, `master`, `fp32` as its first or last part. Where a name says two things at once, the tensor stays exact, and a warning says so.
             * @example {
             *       "firstMoment": [
             *         "mu",
             *         "m_*"
             *       ],
             *       "secondMoment": [
             *         "nu",
             *         "v_*"
             *       ]
             *     }
             */
            names?: {
                firstMoment?: string[];
                secondMoment?: string[];
                momentum?: string[];
                master?: string[];
            };
        };
        /**
         * @description What the checkpoints would like to be worked on. They are measured (the upload, each trial, and what a download returns) with `preferred` (the default) on a GPU; if no worker has one, or none is free in time, on the processor; with `required` on a GPU, however long it takes; with `none` on the processor. One checkpoint is never measured on both. `measuredOn` of its result says which it was. They are compressed by the device of the worker that took them, if it has one (`encodedOn`); with `none` by the processor. The bytes are the same. A change holds for checkpoints that wait, too.
         * @example preferred
         * @enum {string}
         */
        DeviceWish: "preferred" | "required" | "none";
        /**
         * @example {
         *       "name": "first",
         *       "evalSet": "held-out",
         *       "thresholds": {
         *         "loss": 0.005
         *       }
         *     }
         */
        RunInput: {
            /** @example first */
            name: string;
            /**
             * @description `lossy` when an eval set or a fixed config is given, else `exact`.
             * @enum {string}
             */
            fidelity?: "exact" | "lossy";
            /**
             * @description Name of a ready eval set of the repository.
             * @example held-out
             */
            evalSet?: string;
            /**
             * @description Metric to largest degradation accepted in one checkpoint. By default 0.005 (half a percent) on the first metric of the eval set. One above 0.5 needs `allowLarge`. An object has several bounds, of which the tightest holds, `progress` among them. The answer says in `thresholdsInWords` what they allow.
             * @example {
             *       "loss": 0.005
             *     }
             */
            thresholds?: {
                [key: string]: number | components["schemas"]["ThresholdBounds"];
            };
            /** @description Must be true where a threshold is above 0.5: it lets through what most would call damage. */
            allowLarge?: boolean;
            search?: components["schemas"]["SearchOptionsInput"];
            state?: components["schemas"]["StateOptionsInput"];
            device?: components["schemas"]["DeviceWish"];
            /**
             * @description Tensor to layer type, overriding what graph, shapes and names say.
             * @example {
             *       "head.weight": "embedding"
             *     }
             */
            layerTypes?: {
                [key: string]: "embedding" | "linear" | "convolution" | "norm" | "bias" | "buffer";
            };
            /** @description Start from this checkpoint; whatever is not given is inherited. */
            forkFrom?: {
                /** @example first */
                run: string;
                /** @example 1000 */
                step: number;
            };
            baseModel?: components["schemas"]["BaseModel"];
        };
        /** @description How the checkpoints of a run are searched. Axes are those of the method `inshrinkerator` and go from most to least aggressive; together they may span at most 8192 configs, the two prune metrics counted. What is not given keeps its default. */
        SearchOptionsInput: {
            /** @enum {string} */
            method?: "inshrinkerator" | "residual" | "lc-checkpoint" | "bitsnap";
            /** @description Most trials of one checkpoint. */
            trialsMax?: number;
            /**
             * @description With `halves` thresholds must hold on the batches of the eval set with an even number, be confirmed on those with an odd one, and hold on the whole: the search cannot fit one half. The set needs at least two batches (`batchRows`), and a quarter of its rows in each half.
             * @enum {string}
             */
            evalBatches?: "all" | "halves";
            /** @description Largest root mean square error of any quantized tensor, in standard deviations of its weights. A tensor that came back as its mean would be at 1. With the method `residual` no tensor has coarser quantization steps than it allows, whatever the metrics say and whatever step is given; with others the config does not pass. With null the metrics alone decide. */
            weightErrorMax?: number | null;
            /** @description How many standard errors, over the examples of the eval set, a degradation stays inside its threshold by. With 0 the threshold holds for these examples alone; with 1 for other examples of the same distribution too, in five of six cases. */
            standardErrors?: number;
            /** @description How far the outputs of the rebuilt model may be from the uploaded model's: the divergence of Kullback and Leibler for classes, the mean squared difference for real values, in multiples of what the thresholds let the loss grow by. With null the metrics alone decide. */
            divergenceMax?: number | null;
            /** @description How far what Firn measures of an uploaded checkpoint may be from what the training job measured (`expects` of the checkpoint), as a share of that; beyond it the checkpoint is stored exact, with both figures in the reason. 0.01 by default. */
            expectsWithin?: number;
            bins?: number[];
            embeddingBins?: number[];
            pruneFractions?: number[];
            protectFractions?: number[];
            /** @description Of the clustering `entropy`: what a bit a weight is worth, in the squared error that optimal k-means leaves with as many bins. */
            bitPrices?: number[];
            /** @description From the second checkpoint on: how many places on each axis a config may be from the last one. */
            neighbourhoodRadius?: number;
            /** @description From the second checkpoint on: no config is tried that is more aggressive than the last one. */
            neverMoreAggressive?: boolean;
            /**
             * @description How codebooks of `inshrinkerator` are made: `kmeanspp` as the paper does, `optimal` as the best k-means there is, or `entropy` as the cells that cost least in squared error and in bits together, at the prices of `bitPrices`.
             * @enum {string}
             */
            clustering?: "kmeanspp" | "optimal" | "entropy";
            /**
             * @description Of the clustering `kmeanspp`: with `run` one seed serves all checkpoints of a run, so that codebooks of weights that stay do too; with `checkpoint` each has a fresh one.
             * @enum {string}
             */
            codebookSeed?: "run" | "checkpoint";
            /**
             * @description Of the method `residual`: with `nearest` rebuilt checkpoints follow training. A weight moves wherever another step is nearer; while the upload of the checkpoint before is kept, weights that training moved do so earlier, and the others later. With `archive` a weight moves only where that is worth its bits. That takes fewer bytes, and rebuilt checkpoints lag behind: it is for those that nobody will train on. `dead-zone` is an older name of `archive`.
             * @enum {string}
             */
            rounding?: "nearest" | "archive" | "dead-zone";
            /**
             * @description Of the method `residual` with rounding `archive`: with `fixed` what a weight has to gain to move is the same for all; with `priced` it goes with the bits that its move costs more than staying, after what it and those like it did before.
             * @enum {string}
             */
            hysteresis?: "fixed" | "priced";
            fixedConfig?: components["schemas"]["QuantizationConfigInput"];
        };
        QuantizationConfigInput: components["schemas"]["InshrinkeratorConfigInput"] | components["schemas"]["ResidualConfigInput"] | components["schemas"]["LcCheckpointConfigInput"] | components["schemas"]["BitsnapConfigInput"];
        /**
         * @example {
         *       "method": "inshrinkerator",
         *       "bins": 8,
         *       "embeddingBins": 16,
         *       "pruneFraction": 0.2,
         *       "pruneMetric": "magnitude",
         *       "protectFraction": 0.005
         *     }
         */
        InshrinkeratorConfigInput: {
            /**
             * @description `inshrinkerator` by default, where bins are given.
             * @enum {string}
             */
            method?: "inshrinkerator";
            bins: number;
            embeddingBins: number;
            pruneFraction: number;
            protectFraction: number;
            /** @description Codebooks are entropy-constrained: what a bit a weight is worth, in the squared error that optimal k-means leaves with as many bins. Without it they are k-means. */
            bitPrice?: number;
            /**
             * @description `magnitude` by default.
             * @enum {string}
             */
            pruneMetric?: "magnitude" | "sensitivity";
        };
        /**
         * @example {
         *       "method": "residual",
         *       "step": -16
         *     }
         */
        ResidualConfigInput: {
            /** @enum {string} */
            method: "residual";
            /** @description Index of the quantization step of an average tensor (no training step), in 1/32 octaves of the standard deviation of all quantized matrices: 0 is one standard deviation, 32 two. */
            step: number;
            /**
             * @description The quantization step itself, in standard deviations of all quantized matrices: 2^(step/32). It follows from `step`.
             * @example 0.7071
             */
            stepSize?: number;
        };
        /**
         * @example {
         *       "method": "lc-checkpoint",
         *       "bits": 3
         *     }
         */
        LcCheckpointConfigInput: {
            /** @enum {string} */
            method: "lc-checkpoint";
            /** @description Bits of priority promotion, the paper's x: of what changed since the ancestor the 2^bits - 1 buckets of the largest exponents are kept in every block, the others count as no change. A base is whole, whatever they are. */
            bits: number;
        };
        /**
         * @example {
         *       "method": "bitsnap",
         *       "baseEvery": 10
         *     }
         */
        BitsnapConfigInput: {
            /** @enum {string} */
            method: "bitsnap";
            /** @description A base every so many checkpoints; those between are deltas to it. 10 where a run gives no config. */
            baseEvery: number;
        };
        /**
         * @description How the tensors of optimizer files are kept: `exact` byte for byte; `bounded` so that no element of the next update of Adam moves by more than a tenth of the learning rate and a fifth of itself (before the correction of bias, which in the first ten steps of a run can make more of it; at an epsilon of 1e-8 or more, second moments of at most 1e38), and momentum by no more than a fifth of the root mean square of its row or so; `bitsnap` by the clusters of that paper, twelve bits an element. Tensors that are no moments, of one number, or not F32, stay exact, and so does a first moment that is to be `bounded` without its second moments as F32 in the same file and shape; warnings say of which, and of roles that no tensor has. Independent of `fidelity`, which is of the weights. `master` is of F32 copies of the weights, which training in 16 bits keeps: `exact` (the default), or `weights`: they come back as the weights of the model do, and take no bytes; where the uploaded weights are not rounded from them they stay exact, and a warning says so. What is not given is exact.
         * @example {
         *       "firstMoment": "bounded",
         *       "secondMoment": "bounded"
         *     }
         */
        StateOptionsInput: {
            /** @enum {string} */
            firstMoment?: "exact" | "bitsnap" | "bounded";
            /** @enum {string} */
            secondMoment?: "exact" | "bitsnap" | "bounded";
            /** @enum {string} */
            momentum?: "exact" | "bitsnap" | "bounded";
            /** @enum {string} */
            master?: "exact" | "weights";
            /**
             * @description What marks tensors of a role besides the usual words, before which it decides. An entry is a part of dotted names (`mu`), a whole name (`opt.first.layer1.weight`), or a pattern of whole names, in which `*` is any characters (`m_*`, `exp_avg/*`). A first moment belongs to the second moment whose name is the same without the part; of whole names and patterns, to that of the entry at the same place in the list of `secondMoment`, each `*` standing for the same. The usual words are `exp_avg`, `exp_avg_sq`, `momentum_buffer`, `master_param`, `main_param`, `fp32_params` and the like, anywhere in a dotted name, and after these `m`, `v`, `momentum`, `master`, `fp32` as its first or last part. Where a name says two things at once, the tensor stays exact, and a warning says so.
             * @example {
             *       "firstMoment": [
             *         "mu",
             *         "m_*"
             *       ],
             *       "secondMoment": [
             *         "nu",
             *         "v_*"
             *       ]
             *     }
             */
            names?: {
                firstMoment?: string[];
                secondMoment?: string[];
                momentum?: string[];
                master?: string[];
            };
        };
        /**
         * @description A checkpoint that a fine-tune begins from, in this repository or another that the token may read. The first checkpoint of the run is stored against it, so it must have the same tensors. `run` is the one that the main branch shows, if it is not given, and `step` its newest that is ready. Nothing else is inherited.
         * @example {
         *       "namespace": "acme",
         *       "name": "lm",
         *       "run": "pretraining",
         *       "step": 90000
         *     }
         */
        BaseModel: {
            /** @example lm-small */
            namespace: string;
            /** @example lm-small */
            name: string;
            /** @example first */
            run?: string;
            /** @example 1000 */
            step?: number;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "name": "train",
         *           "fidelity": "lossy",
         *           "evalSet": "held-out",
         *           "thresholds": {
         *             "loss": 0.005
         *           },
         *           "thresholdsInWords": [
         *             "loss may grow by at most 0.5 % of the uploaded checkpoint's"
         *           ],
         *           "search": {
         *             "bins": [
         *               4,
         *               6,
         *               8,
         *               12,
         *               16,
         *               32
         *             ],
         *             "method": "residual",
         *             "rounding": "nearest",
         *             "bitPrices": [
         *               32,
         *               16,
         *               8,
         *               4,
         *               2,
         *               1
         *             ],
         *             "trialsMax": 64,
         *             "clustering": "kmeanspp",
         *             "hysteresis": "fixed",
         *             "evalBatches": "all",
         *             "codebookSeed": "run",
         *             "divergenceMax": 1,
         *             "embeddingBins": [
         *               16,
         *               32
         *             ],
         *             "expectsWithin": 0.01,
         *             "pruneFractions": [
         *               0.5,
         *               0.4,
         *               0.3,
         *               0.2,
         *               0.1,
         *               0
         *             ],
         *             "standardErrors": 1,
         *             "weightErrorMax": 0.5,
         *             "protectFractions": [
         *               0.0005,
         *               0.005,
         *               0.01
         *             ],
         *             "neighbourhoodRadius": 1,
         *             "neverMoreAggressive": false
         *           },
         *           "state": {
         *             "firstMoment": "exact",
         *             "secondMoment": "exact",
         *             "momentum": "exact"
         *           },
         *           "device": "preferred",
         *           "layerTypes": {},
         *           "seed": "9233745440816036729",
         *           "checkpointCounts": {
         *             "open": 0,
         *             "queued": 1,
         *             "working": 1,
         *             "ready": 12,
         *             "failed": 0,
         *             "cancelled": 0
         *           },
         *           "final": false,
         *           "createdAt": "2026-01-02T03:04:28.254Z"
         *         }
         *       ]
         *     }
         */
        RunList: {
            items: components["schemas"]["Run"][];
            next?: string;
        };
        /**
         * @example {
         *       "evalSet": "held-out-2"
         *     }
         */
        RunChange: {
            /**
             * @description Name of a ready eval set of the repository.
             * @example held-out
             */
            evalSet?: string;
            /**
             * @description Metric to largest degradation accepted in one checkpoint. By default 0.005 (half a percent) on the first metric of the eval set. One above 0.5 needs `allowLarge`. An object has several bounds, of which the tightest holds, `progress` among them. The answer says in `thresholdsInWords` what they allow.
             * @example {
             *       "loss": 0.005
             *     }
             */
            thresholds?: {
                [key: string]: number | components["schemas"]["ThresholdBounds"];
            };
            /** @description Must be true where a threshold is above 0.5: it lets through what most would call damage. */
            allowLarge?: boolean;
            device?: components["schemas"]["DeviceWish"];
            /** @description With `true` the run is closed: it takes no new steps, its old deltas are merged without waiting for more, and the upload of its last checkpoint is released, which is kept for training to go on. With an object it is closed, and its last checkpoint is kept so, which has to be said before that is compressed, unless it has it already. With `false` it is opened again. */
            final?: boolean | components["schemas"]["FinalQuality"];
        };
        /**
         * @description How the last checkpoint of a run is to be kept; as the others where nothing is said.
         * @example {
         *       "exact": true
         *     }
         */
        FinalQuality: {
            /** @description Its weights come back exact. */
            exact?: boolean;
            /**
             * @description Thresholds instead of the run's.
             * @example {
             *       "loss": 0.005
             *     }
             */
            thresholds?: {
                [key: string]: number | components["schemas"]["ThresholdBounds"];
            };
        };
        /**
         * @example {
         *       "run": "train",
         *       "step": 1200,
         *       "sequence": 1,
         *       "state": "open",
         *       "revision": "663f9e07043140ad6a9a5930947e1e90e4ee7371",
         *       "thresholds": {
         *         "loss": 0.005
         *       },
         *       "cancelRequested": false,
         *       "createdAt": "2026-01-02T03:04:37.658Z",
         *       "committedAt": "2026-01-02T03:04:37.891Z",
         *       "href": "/v1/repositories/acme/lm-small/runs/train/checkpoints/1200",
         *       "missing": [
         *         {
         *           "path": "model.safetensors",
         *           "href": "/v1/repositories/acme/lm-small/runs/train/checkpoints/1200/files/model.safetensors"
         *         }
         *       ]
         *     }
         */
        ReservedCheckpoint: components["schemas"]["Checkpoint"] & {
            /** @description Announced files that have not arrived; each is uploaded by a PUT to its `href`. */
            missing: {
                path: string;
                href: string;
            }[];
        };
        /**
         * @description Of a checkpoint that is `queued`, in its description, in lists and in its events.
         * @example {
         *       "step": 1100,
         *       "state": "open",
         *       "reservedAt": "2026-01-02T03:04:05.000Z",
         *       "expiresAt": "2026-01-02T04:04:05.000Z",
         *       "inWords": "waits for step 1100, reserved 12 minutes ago, expires in 48 minutes unless files arrive"
         *     }
         */
        Waiting: {
            /** @description The step of the run that comes first. */
            step?: number;
            /**
             * @description The state of that step.
             * @enum {string}
             */
            state?: "open" | "queued" | "working";
            /**
             * Format: date-time
             * @description When that step was reserved, while it is open.
             */
            reservedAt?: string;
            /**
             * Format: date-time
             * @description When that reservation is given up, unless files of it arrive.
             */
            expiresAt?: string;
            /** @description The same as a sentence. */
            inWords: string;
        };
        CheckpointResult: {
            /**
             * @description `exact` also when a lossy run found no config that passes.
             * @enum {string}
             */
            fidelity: "exact" | "lossy";
            config?: components["schemas"]["QuantizationConfig"];
            warnings: string[];
            /**
             * @description Metric to value; null when not finite.
             * @example {
             *       "loss": 3.21
             *     }
             */
            baseline?: {
                [key: string]: number | null;
            };
            /**
             * @description On the decoded bytes; null when not finite.
             * @example {
             *       "loss": 3.21
             *     }
             */
            measured?: {
                [key: string]: number | null;
            };
            /**
             * @description How much worse each metric got: relative to the baseline, or in its own unit where thresholds of its kind are absolute.
             * @example {
             *       "loss": 3.21
             *     }
             */
            degradation?: {
                [key: string]: number | null;
            };
            /** @description What the thresholds came to in this checkpoint, by bounded metric. */
            limits?: {
                [key: string]: components["schemas"]["MetricLimit"];
            };
            asGoodAs?: components["schemas"]["AsGoodAs"];
            /** @description Further metrics of the same outputs, by name, beside those of the eval set. Nothing bounds these; a warning says where one moved far. */
            observed?: {
                [key: string]: components["schemas"]["ObservedMetric"];
            };
            /**
             * @description How the eval set and the checkpoint were read: rows and inputs, each metric with its shapes, which weights fill the graph.
             * @example [
             *       "\"loss\": cross-entropy of logits [48, 128, 1024] with labels [48, 128], 6,144 positions; 4.4903 (6.9315 for guessing)."
             *     ]
             */
            understood?: string[];
            measuredOn?: components["schemas"]["DeviceKind"];
            /**
             * @description What compressed the checkpoint; the bytes are the same. `cuda`: a GPU, wherever there is work for one. `emulated`: the processor in its place, for tests. `mixed`: a device did a part and failed, or had no memory for the rest, and the processor did that. Absent in results from before it was kept.
             * @enum {string}
             */
            encodedOn?: "cpu" | "cuda" | "emulated" | "mixed";
            /** @enum {string} */
            kind: "base" | "delta";
            ancestorRun?: string;
            /** @description What it is a delta to, with `ancestorRun`; absent for a checkpoint of another repository. */
            ancestorStep?: number;
            /** @description Checkpoints on the way from a base, this one included. */
            chainLength: number;
            rawBytes: number;
            /** @description Everything stored for the checkpoint; of a package that holds several, its share. Merging makes it less. */
            storedBytes: number;
            /** @description Share of weights whose bin changed since the ancestor. */
            migration?: number;
            /** @description Root mean square of what rounding left of the weights of matrices, in quantization steps. */
            roundingError?: number;
            /** @description Training was found to have been resumed from what the ancestor rebuilds, so steps are kept fine enough for what was trained since. */
            resumed?: boolean;
            trialCount: number;
            /**
             * @description Seconds by phase.
             * @example {
             *       "search": 4.2,
             *       "encode": 0.8,
             *       "verify": 0.3
             *     }
             */
            seconds: {
                [key: string]: number;
            };
        };
        MetricLimit: {
            /** @description Largest `degradation` that passes. */
            degradationMax: number;
            /**
             * @description The bound of the threshold that is the tightest here.
             * @enum {string}
             */
            boundBy: "relative" | "absolute" | "progress";
            /** @description What `degradationMax` would be without `progress`, where the threshold has it. */
            withoutProgress?: number;
            /** @description What `progress` is a share of: the gain since this upload, divided by `checkpoints`. Absent where nothing was gained. */
            gain?: {
                run: string;
                step: number;
                value: number;
                /** @description Checkpoints from there to this one; 1 is the checkpoint before. */
                checkpoints: number;
                /** @description Above 0, in the metric's own unit. */
                perCheckpoint: number;
            };
        };
        /**
         * @description The step of training at which the uploaded model was as good as what a download returns, by the measured metric of the uploads that it was trained through. Absent if that is not known.
         * @example {
         *       "metric": "loss",
         *       "step": 1050,
         *       "beforeFirst": false,
         *       "lagSteps": 120
         *     }
         */
        AsGoodAs: {
            /** @description The first metric of the eval set that a threshold bounds. */
            metric: string;
            /** @description A fraction between uploads, on the line through their values; at most the own step. */
            step: number;
            /** @description Even the first upload, of this `step`, is better: it is as good as some step before. */
            beforeFirst: boolean;
            /** @description How many steps it is behind its own; with `beforeFirst` at least. */
            lagSteps: number;
        };
        ObservedMetric: {
            /** @enum {string} */
            kind: "loss" | "cross-entropy" | "perplexity" | "accuracy" | "top-k-accuracy" | "f1" | "binary-cross-entropy" | "binary-accuracy" | "mse" | "pearson" | "kl-divergence" | "agreement" | "deviation";
            baseline: number | null;
            measured: number | null;
            degradation: number | null;
        };
        /**
         * @description What the metrics were measured on: the processor, or a GPU through CUDA.
         * @example cpu
         * @enum {string}
         */
        DeviceKind: "cpu" | "cuda";
        /**
         * @example {
         *       "run": "train",
         *       "step": 1200,
         *       "sequence": 1,
         *       "state": "ready",
         *       "revision": "663f9e07043140ad6a9a5930947e1e90e4ee7371",
         *       "thresholds": {
         *         "loss": 0.005
         *       },
         *       "cancelRequested": false,
         *       "result": {
         *         "fidelity": "lossy",
         *         "config": {
         *           "method": "residual",
         *           "step": -45,
         *           "stepSize": 0.3773
         *         },
         *         "kind": "delta",
         *         "ancestorRun": "train",
         *         "ancestorStep": 1100,
         *         "chainLength": 2,
         *         "rawBytes": 1788504,
         *         "storedBytes": 38329,
         *         "measuredOn": "cpu",
         *         "encodedOn": "cpu",
         *         "baseline": {
         *           "loss": 4.5496
         *         },
         *         "measured": {
         *           "loss": 4.5694
         *         },
         *         "degradation": {
         *           "loss": 0.0043477
         *         },
         *         "limits": {
         *           "loss": {
         *             "boundBy": "relative",
         *             "degradationMax": 0.005
         *           }
         *         },
         *         "asGoodAs": {
         *           "step": 1153.4,
         *           "metric": "loss",
         *           "lagSteps": 46.558,
         *           "beforeFirst": false
         *         },
         *         "observed": {
         *           "agreement": {
         *             "kind": "agreement",
         *             "baseline": 1,
         *             "measured": 0.83545,
         *             "degradation": 0.16455
         *           }
         *         },
         *         "understood": [
         *           "48 rows in 3 batches; fed: \"idx\" from \"inputs\" (I64 [48, 128]).",
         *           "\"loss\": cross-entropy of logits [48, 128, 1024] with labels [48, 128], 6,144 positions; 4.5496 (6.9315 for guessing)."
         *         ],
         *         "warnings": [
         *           "\"agreement\" is not bounded and fell to 0.8354; the largest threshold is 0.5 %. A threshold on it would hold it."
         *         ],
         *         "migration": 0.13017,
         *         "roundingError": 0.30528,
         *         "trialCount": 1,
         *         "seconds": {
         *           "read": 0.2,
         *           "search": 1.2,
         *           "encode": 0.1,
         *           "verify": 0.8
         *         }
         *       },
         *       "createdAt": "2026-01-02T03:04:37.658Z",
         *       "committedAt": "2026-01-02T03:04:37.891Z",
         *       "finishedAt": "2026-01-02T03:04:42.156Z",
         *       "href": "/v1/repositories/acme/lm-small/runs/train/checkpoints/1200"
         *     }
         */
        Checkpoint: {
            run: string;
            step: number;
            /** @description Order in the run, from 0. */
            sequence: number;
            /** @enum {string} */
            state: "open" | "queued" | "working" | "ready" | "failed" | "cancelled";
            /** @description 40 hex digits, from the commit on. */
            revision?: string;
            config?: Omit<components["schemas"]["QuantizationConfig"], "method"> & unknown;
            /** @description The layer types given at upload. */
            layerTypes?: {
                [key: string]: "embedding" | "linear" | "convolution" | "norm" | "bias" | "buffer";
            };
            /**
             * @description What the training job measured, by the names of metrics of the eval set of the run. Where Firn measures something else of the uploaded checkpoint (`search.expectsWithin` of the run), it is stored exact, with both figures in the reason: then eval set and training do not measure the same.
             * @example {
             *       "loss": 1.8604
             *     }
             */
            expects?: {
                [key: string]: number;
            };
            final?: components["schemas"]["FinalQuality"] & unknown;
            /**
             * @description Those it is held to, fixed when it was committed or tried again.
             * @example {
             *       "loss": 0.005
             *     }
             */
            thresholds?: {
                [key: string]: number | components["schemas"]["ThresholdBounds"];
            };
            waitsFor?: components["schemas"]["Waiting"];
            /**
             * Format: date-time
             * @description Of one that is `open`, in its description and in lists: given up then, unless files arrive.
             */
            expiresAt?: string;
            cancelRequested: boolean;
            result?: components["schemas"]["CheckpointResult"];
            error?: {
                /** @enum {string} */
                code: "invalid-request" | "unauthenticated" | "forbidden" | "rate-limited" | "quota-exceeded" | "not-found" | "conflict" | "method-not-allowed" | "payload-too-large" | "length-required" | "length-mismatch" | "digest-mismatch" | "checksum-mismatch" | "range-not-satisfiable" | "precondition-failed" | "idempotency-conflict" | "upload-incomplete" | "upload-aborted" | "upload-busy" | "body-too-slow" | "empty-body" | "unsupported-media-type" | "header-truncated" | "header-too-large" | "header-invalid" | "tensor-overlap" | "tensor-gap" | "tensor-size-mismatch" | "tensor-duplicate" | "dtype-unknown" | "not-safetensors" | "layout-mismatch" | "step-exists" | "run-not-ready" | "run-closed" | "checkpoint-not-ready" | "checkpoint-failed" | "graph-invalid" | "graph-external-data" | "graph-missing-weights" | "eval-input-mismatch" | "eval-label-mismatch" | "eval-timeout" | "eval-memory" | "eval-crashed" | "eval-device" | "eval-set-not-ready" | "metric-unknown" | "corrupt-object" | "corrupt-package" | "unsupported-format" | "storage-full" | "unavailable" | "overloaded" | "cancelled" | "native-failure" | "internal";
                message: string;
            };
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            committedAt?: string;
            /** Format: date-time */
            finishedAt?: string;
            href: string;
        };
        /**
         * @example {
         *       "step": 1000,
         *       "files": [
         *         {
         *           "path": "model.safetensors"
         *         },
         *         {
         *           "path": "model.grad.safetensors"
         *         }
         *       ]
         *     }
         */
        CheckpointInput: {
            /** @example 1000 */
            step: number;
            /** @description Files that must arrive before the commit. Others may be added. */
            files?: {
                /** @example model.safetensors */
                path: string;
                /**
                 * @description By default taken from the name of the file.
                 * @enum {string}
                 */
                role?: "model" | "sensitivity" | "optimizer" | "other";
                sizeBytes?: number;
                /** @example e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 */
                sha256?: string;
                /**
                 * Format: byte
                 * @description The bytes of a small file in base64; then it need not be uploaded.
                 * @example eyJhIjoxfQ==
                 */
                content?: string;
            }[];
            /** @description Commit it with this call: every file has its `content` here or has arrived before. */
            commit?: boolean;
            /** @description Use this config instead of a search. */
            config?: components["schemas"]["InshrinkeratorConfigInput"] | components["schemas"]["ResidualConfigInput"] | components["schemas"]["LcCheckpointConfigInput"] | components["schemas"]["BitsnapConfigInput"];
            /**
             * @description Tensor to layer type for this checkpoint; each entry wins over that of the run.
             * @example {
             *       "head.weight": "embedding"
             *     }
             */
            layerTypes?: {
                [key: string]: "embedding" | "linear" | "convolution" | "norm" | "bias" | "buffer";
            };
            /**
             * @description What the training job measured, by the names of metrics of the eval set of the run. Where Firn measures something else of the uploaded checkpoint (`search.expectsWithin` of the run), it is stored exact, with both figures in the reason: then eval set and training do not measure the same.
             * @example {
             *       "loss": 1.8604
             *     }
             */
            expects?: {
                [key: string]: number;
            };
            /**
             * @description This checkpoint is the last of its run: its commit closes the run, which then takes no new steps. With an object it is kept otherwise than the others.
             * @example {
             *       "exact": true
             *     }
             */
            final?: true | components["schemas"]["FinalQuality"];
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "run": "train",
         *           "step": 1200,
         *           "sequence": 1,
         *           "state": "ready",
         *           "revision": "663f9e07043140ad6a9a5930947e1e90e4ee7371",
         *           "thresholds": {
         *             "loss": 0.005
         *           },
         *           "cancelRequested": false,
         *           "result": {
         *             "fidelity": "lossy",
         *             "config": {
         *               "method": "residual",
         *               "step": -45,
         *               "stepSize": 0.3773
         *             },
         *             "kind": "delta",
         *             "ancestorRun": "train",
         *             "ancestorStep": 1100,
         *             "chainLength": 2,
         *             "rawBytes": 1788504,
         *             "storedBytes": 38329,
         *             "measuredOn": "cpu",
         *             "encodedOn": "cpu",
         *             "baseline": {
         *               "loss": 4.5496
         *             },
         *             "measured": {
         *               "loss": 4.5694
         *             },
         *             "degradation": {
         *               "loss": 0.0043477
         *             },
         *             "limits": {
         *               "loss": {
         *                 "boundBy": "relative",
         *                 "degradationMax": 0.005
         *               }
         *             },
         *             "asGoodAs": {
         *               "step": 1153.4,
         *               "metric": "loss",
         *               "lagSteps": 46.558,
         *               "beforeFirst": false
         *             },
         *             "observed": {
         *               "agreement": {
         *                 "kind": "agreement",
         *                 "baseline": 1,
         *                 "measured": 0.83545,
         *                 "degradation": 0.16455
         *               }
         *             },
         *             "understood": [
         *               "48 rows in 3 batches; fed: \"idx\" from \"inputs\" (I64 [48, 128]).",
         *               "\"loss\": cross-entropy of logits [48, 128, 1024] with labels [48, 128], 6,144 positions; 4.5496 (6.9315 for guessing)."
         *             ],
         *             "warnings": [
         *               "\"agreement\" is not bounded and fell to 0.8354; the largest threshold is 0.5 %. A threshold on it would hold it."
         *             ],
         *             "migration": 0.13017,
         *             "roundingError": 0.30528,
         *             "trialCount": 1,
         *             "seconds": {
         *               "read": 0.2,
         *               "search": 1.2,
         *               "encode": 0.1,
         *               "verify": 0.8
         *             }
         *           },
         *           "createdAt": "2026-01-02T03:04:37.658Z",
         *           "committedAt": "2026-01-02T03:04:37.891Z",
         *           "finishedAt": "2026-01-02T03:04:42.156Z",
         *           "href": "/v1/repositories/acme/lm-small/runs/train/checkpoints/1200"
         *         },
         *         {
         *           "run": "train",
         *           "step": 1200,
         *           "sequence": 1,
         *           "state": "queued",
         *           "revision": "663f9e07043140ad6a9a5930947e1e90e4ee7371",
         *           "thresholds": {
         *             "loss": 0.005
         *           },
         *           "cancelRequested": false,
         *           "createdAt": "2026-01-02T03:04:37.658Z",
         *           "committedAt": "2026-01-02T03:04:37.891Z",
         *           "href": "/v1/repositories/acme/lm-small/runs/train/checkpoints/1200"
         *         }
         *       ],
         *       "next": "1"
         *     }
         */
        CheckpointList: {
            items: components["schemas"]["Checkpoint"][];
            next?: string;
        };
        /**
         * @example {
         *       "run": "train",
         *       "step": 1200,
         *       "sequence": 1,
         *       "state": "ready",
         *       "revision": "663f9e07043140ad6a9a5930947e1e90e4ee7371",
         *       "thresholds": {
         *         "loss": 0.005
         *       },
         *       "cancelRequested": false,
         *       "result": {
         *         "fidelity": "lossy",
         *         "config": {
         *           "method": "residual",
         *           "step": -45,
         *           "stepSize": 0.3773
         *         },
         *         "kind": "delta",
         *         "ancestorRun": "train",
         *         "ancestorStep": 1100,
         *         "chainLength": 2,
         *         "rawBytes": 1788504,
         *         "storedBytes": 38329,
         *         "measuredOn": "cpu",
         *         "encodedOn": "cpu",
         *         "baseline": {
         *           "loss": 4.5496
         *         },
         *         "measured": {
         *           "loss": 4.5694
         *         },
         *         "degradation": {
         *           "loss": 0.0043477
         *         },
         *         "limits": {
         *           "loss": {
         *             "boundBy": "relative",
         *             "degradationMax": 0.005
         *           }
         *         },
         *         "asGoodAs": {
         *           "step": 1153.4,
         *           "metric": "loss",
         *           "lagSteps": 46.558,
         *           "beforeFirst": false
         *         },
         *         "observed": {
         *           "agreement": {
         *             "kind": "agreement",
         *             "baseline": 1,
         *             "measured": 0.83545,
         *             "degradation": 0.16455
         *           }
         *         },
         *         "understood": [
         *           "48 rows in 3 batches; fed: \"idx\" from \"inputs\" (I64 [48, 128]).",
         *           "\"loss\": cross-entropy of logits [48, 128, 1024] with labels [48, 128], 6,144 positions; 4.5496 (6.9315 for guessing)."
         *         ],
         *         "warnings": [
         *           "\"agreement\" is not bounded and fell to 0.8354; the largest threshold is 0.5 %. A threshold on it would hold it."
         *         ],
         *         "migration": 0.13017,
         *         "roundingError": 0.30528,
         *         "trialCount": 1,
         *         "seconds": {
         *           "read": 0.2,
         *           "search": 1.2,
         *           "encode": 0.1,
         *           "verify": 0.8
         *         }
         *       },
         *       "createdAt": "2026-01-02T03:04:37.658Z",
         *       "committedAt": "2026-01-02T03:04:37.891Z",
         *       "finishedAt": "2026-01-02T03:04:42.156Z",
         *       "href": "/v1/repositories/acme/lm-small/runs/train/checkpoints/1200",
         *       "files": [
         *         {
         *           "path": "model.safetensors",
         *           "role": "model",
         *           "received": true,
         *           "uploaded": {
         *             "sizeBytes": 1788504,
         *             "sha256": "3a46cbd487f169630ca11eb5adee9a92ecddc760743015ea65a12cdafe34d076",
         *             "href": "/v1/repositories/acme/lm-small/runs/train/checkpoints/1200/files/model.safetensors?as=uploaded"
         *           },
         *           "rebuilt": {
         *             "sizeBytes": 1788504,
         *             "sha256": "758f3aa0aabba6fcbd72a90fa444b524adc2f4e8a7babfa5526d4f836215b50f",
         *             "href": "/v1/repositories/acme/lm-small/runs/train/checkpoints/1200/files/model.safetensors"
         *           }
         *         }
         *       ],
         *       "package": {
         *         "id": "12361b94d9e34dc18b09b365babcc933",
         *         "kind": "delta",
         *         "sizeBytes": 38293,
         *         "storedBytes": 38329,
         *         "chainLength": 2,
         *         "href": "/v1/repositories/acme/lm-small/packages/12361b94d9e34dc18b09b365babcc933",
         *         "ancestorId": "47be3699dbaa46079ba7c5f7b6c39e73",
         *         "ancestorHref": "/v1/repositories/acme/lm-small/packages/47be3699dbaa46079ba7c5f7b6c39e73"
         *       },
         *       "evalSet": "held-out",
         *       "links": {
         *         "trials": "/v1/repositories/acme/lm-small/runs/train/checkpoints/1200/trials",
         *         "events": "/v1/repositories/acme/lm-small/runs/train/checkpoints/1200/events"
         *       }
         *     }
         */
        CheckpointDetails: components["schemas"]["Checkpoint"] & {
            files: components["schemas"]["CheckpointFile"][];
            package?: components["schemas"]["PackageSummary"];
            /**
             * @description Stored objects that it needs were found corrupt or missing, and are kept from being read: downloads of `damagedFiles` are refused.
             * @enum {boolean}
             */
            damaged?: true;
            /** @description Paths of the files that cannot be downloaded, or whose kept upload cannot. */
            damagedFiles?: string[];
            /** @description Name of the eval set it is measured with, fixed when it was committed or tried again. */
            evalSet?: string;
            links: {
                trials: string;
                events: string;
                /** @description Of a checkpoint that failed: POST there to try it again. */
                retry?: string;
            };
        };
        CheckpointFile: {
            path: string;
            /** @enum {string} */
            role: "model" | "sensitivity" | "optimizer" | "other";
            received: boolean;
            /** @description As announced, or as it arrived. `href` is there while the bytes are kept. */
            uploaded: {
                sizeBytes?: number;
                sha256?: string;
                href?: string;
            };
            /** @description What a download returns once the checkpoint is ready. */
            rebuilt?: {
                sizeBytes: number;
                sha256: string;
                href: string;
            };
        };
        /** @description Absent, too, if it builds on a repository that you may not read, such as a private base model. */
        PackageSummary: {
            id: string;
            /** @enum {string} */
            kind: "base" | "delta";
            ancestorId?: string;
            sizeBytes: number;
            storedBytes: number;
            chainLength: number;
            /** @description The package that holds this checkpoint with others of the run, and which of them it is. `sizeBytes` is its size, `storedBytes` this one’s share. */
            mergedPackage?: {
                id: string;
                position: number;
            };
            /**
             * @deprecated
             * @description The same as `mergedPackage`, under its earlier name.
             */
            superStep?: {
                id: string;
                position: number;
            };
            href: string;
            ancestorHref?: string;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "number": 1,
         *           "ordinal": 0,
         *           "search": 1,
         *           "config": {
         *             "method": "residual",
         *             "step": -45,
         *             "stepSize": 0.3773
         *           },
         *           "estimatedBytes": 37867,
         *           "measuredOn": "cpu",
         *           "metrics": {
         *             "loss": 4.5694
         *           },
         *           "degradation": {
         *             "loss": 0.0043477
         *           },
         *           "standardError": {
         *             "loss": 0.00054577
         *           },
         *           "observed": {
         *             "kl-divergence": 0.015422
         *           },
         *           "passed": true,
         *           "seconds": 1.02
         *         }
         *       ]
         *     }
         */
        TrialList: {
            items: components["schemas"]["Trial"][];
        };
        /**
         * @example {
         *       "number": 1,
         *       "ordinal": 0,
         *       "search": 1,
         *       "config": {
         *         "method": "residual",
         *         "step": -45,
         *         "stepSize": 0.3773
         *       },
         *       "estimatedBytes": 37867,
         *       "measuredOn": "cpu",
         *       "metrics": {
         *         "loss": 4.5694
         *       },
         *       "degradation": {
         *         "loss": 0.0043477
         *       },
         *       "standardError": {
         *         "loss": 0.00054577
         *       },
         *       "observed": {
         *         "kl-divergence": 0.015422
         *       },
         *       "passed": true,
         *       "seconds": 1.02
         *     }
         */
        Trial: {
            /** @description Order of evaluation over all searches of the checkpoint, from 1, as people count. */
            number: number;
            /**
             * @deprecated
             * @description `number` less one, for programs that read it.
             */
            ordinal: number;
            /** @description Which search of the checkpoint, from 1: it is searched again when another ancestor may cost less. */
            search: number;
            config: components["schemas"]["QuantizationConfig"];
            estimatedBytes: number;
            measuredOn: components["schemas"]["DeviceKind"];
            /**
             * @description Metric to value; null when not finite.
             * @example {
             *       "loss": 3.21
             *     }
             */
            metrics: {
                [key: string]: number | null;
            };
            /** @description Metrics of each half of the eval set, where both must pass. */
            halves?: {
                [key: string]: number | null;
            }[];
            /**
             * @description Metric to value; null when not finite.
             * @example {
             *       "loss": 3.21
             *     }
             */
            degradation: {
                [key: string]: number | null;
            };
            /**
             * @description Standard error of each degradation over examples, where the run asks for it.
             * @example {
             *       "loss": 3.21
             *     }
             */
            standardError?: {
                [key: string]: number | null;
            };
            /**
             * @description Divergences from the uploaded model's outputs that the run bounds, by metric.
             * @example {
             *       "loss": 3.21
             *     }
             */
            observed?: {
                [key: string]: number | null;
            };
            passed: boolean;
            seconds: number;
        };
        /**
         * @description What it is measured with this time. By default what the run has now.
         * @example {
         *       "evalSet": "held-out-2"
         *     }
         */
        RetryInput: {
            /**
             * @description Name of a ready eval set of the repository.
             * @example held-out
             */
            evalSet?: string;
            /**
             * @description Metric to largest degradation accepted in one checkpoint. By default 0.005 (half a percent) on the first metric of the eval set. One above 0.5 needs `allowLarge`. An object has several bounds, of which the tightest holds, `progress` among them. The answer says in `thresholdsInWords` what they allow.
             * @example {
             *       "loss": 0.005
             *     }
             */
            thresholds?: {
                [key: string]: number | components["schemas"]["ThresholdBounds"];
            };
            /** @description Must be true where a threshold is above 0.5: it lets through what most would call damage. */
            allowLarge?: boolean;
        };
        /**
         * @example {
         *       "run": "train",
         *       "step": 1200,
         *       "thresholds": {
         *         "loss": 0.01
         *       },
         *       "state": "done",
         *       "result": {
         *         "fidelity": "lossy",
         *         "config": {
         *           "method": "residual",
         *           "step": -35,
         *           "stepSize": 0.5336
         *         },
         *         "kind": "delta",
         *         "ancestorRun": "train",
         *         "ancestorStep": 1100,
         *         "chainLength": 2,
         *         "rawBytes": 1788504,
         *         "storedBytes": 31204,
         *         "measuredOn": "cpu",
         *         "encodedOn": "cpu",
         *         "baseline": {
         *           "loss": 4.5496
         *         },
         *         "measured": {
         *           "loss": 4.5932
         *         },
         *         "degradation": {
         *           "loss": 0.0095832
         *         },
         *         "limits": {
         *           "loss": {
         *             "boundBy": "relative",
         *             "degradationMax": 0.01
         *           }
         *         },
         *         "asGoodAs": {
         *           "step": 1153.4,
         *           "metric": "loss",
         *           "lagSteps": 46.558,
         *           "beforeFirst": false
         *         },
         *         "observed": {
         *           "agreement": {
         *             "kind": "agreement",
         *             "baseline": 1,
         *             "measured": 0.83545,
         *             "degradation": 0.16455
         *           }
         *         },
         *         "understood": [
         *           "48 rows in 3 batches; fed: \"idx\" from \"inputs\" (I64 [48, 128]).",
         *           "\"loss\": cross-entropy of logits [48, 128, 1024] with labels [48, 128], 6,144 positions; 4.5496 (6.9315 for guessing)."
         *         ],
         *         "warnings": [
         *           "\"agreement\" is not bounded and fell to 0.8354; the largest threshold is 0.5 %. A threshold on it would hold it."
         *         ],
         *         "migration": 0.13017,
         *         "roundingError": 0.30528,
         *         "trialCount": 1,
         *         "seconds": {
         *           "read": 0.2,
         *           "search": 1.2,
         *           "encode": 0.1,
         *           "verify": 0.8
         *         }
         *       },
         *       "createdAt": "2026-01-02T03:10:12.101Z",
         *       "finishedAt": "2026-01-02T03:10:16.502Z",
         *       "href": "/v1/repositories/acme/lm-small/runs/train/checkpoints/1200/estimate"
         *     }
         */
        Estimate: {
            run: string;
            step: number;
            /**
             * @description Metric to largest degradation accepted in one checkpoint: a share of what the uploaded checkpoint has, or, of the kinds `kl-divergence`, `agreement` and `deviation`, the change itself. An object has several bounds, of which the tightest holds.
             * @example {
             *       "loss": 0.005
             *     }
             */
            thresholds: {
                [key: string]: number | components["schemas"]["ThresholdBounds"];
            };
            /** @enum {string} */
            state: "queued" | "working" | "done" | "failed" | "cancelled";
            result?: components["schemas"]["CheckpointResult"] & unknown;
            error?: {
                /** @enum {string} */
                code: "invalid-request" | "unauthenticated" | "forbidden" | "rate-limited" | "quota-exceeded" | "not-found" | "conflict" | "method-not-allowed" | "payload-too-large" | "length-required" | "length-mismatch" | "digest-mismatch" | "checksum-mismatch" | "range-not-satisfiable" | "precondition-failed" | "idempotency-conflict" | "upload-incomplete" | "upload-aborted" | "upload-busy" | "body-too-slow" | "empty-body" | "unsupported-media-type" | "header-truncated" | "header-too-large" | "header-invalid" | "tensor-overlap" | "tensor-gap" | "tensor-size-mismatch" | "tensor-duplicate" | "dtype-unknown" | "not-safetensors" | "layout-mismatch" | "step-exists" | "run-not-ready" | "run-closed" | "checkpoint-not-ready" | "checkpoint-failed" | "graph-invalid" | "graph-external-data" | "graph-missing-weights" | "eval-input-mismatch" | "eval-label-mismatch" | "eval-timeout" | "eval-memory" | "eval-crashed" | "eval-device" | "eval-set-not-ready" | "metric-unknown" | "corrupt-object" | "corrupt-package" | "unsupported-format" | "storage-full" | "unavailable" | "overloaded" | "cancelled" | "native-failure" | "internal";
                message: string;
            };
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            finishedAt?: string;
            href: string;
        };
        /**
         * @example {
         *       "thresholds": {
         *         "loss": 0.01
         *       }
         *     }
         */
        EstimateInput: {
            /**
             * @description Metric to largest degradation accepted in one checkpoint. By default 0.005 (half a percent) on the first metric of the eval set. One above 0.5 needs `allowLarge`. An object has several bounds, of which the tightest holds, `progress` among them. The answer says in `thresholdsInWords` what they allow.
             * @example {
             *       "loss": 0.005
             *     }
             */
            thresholds: {
                [key: string]: number | components["schemas"]["ThresholdBounds"];
            };
            /** @description Must be true where a threshold is above 0.5: it lets through what most would call damage. */
            allowLarge?: boolean;
        };
        /**
         * @example {
         *       "path": "model.safetensors",
         *       "role": "model",
         *       "sizeBytes": 1788504,
         *       "sha256": "3a46cbd487f169630ca11eb5adee9a92ecddc760743015ea65a12cdafe34d076",
         *       "href": "/v1/repositories/acme/lm-small/runs/train/checkpoints/1200/files/model.safetensors"
         *     }
         */
        FileReceipt: {
            path: string;
            /** @enum {string} */
            role: "model" | "sensitivity" | "optimizer" | "other";
            sizeBytes: number;
            sha256: string;
            href: string;
            checkpoint?: components["schemas"]["Checkpoint"] & unknown;
        };
        /**
         * @example {
         *       "id": "482c5cb4409f4a46bd6d465655cab579",
         *       "href": "/v1/repositories/acme/lm-small/uploads/482c5cb4409f4a46bd6d465655cab579",
         *       "state": "open",
         *       "path": "model.safetensors",
         *       "sizeBytes": 20000000,
         *       "receivedBytes": 8388608,
         *       "partBytes": 8388608,
         *       "partCount": 3,
         *       "expiresAt": "2026-01-03T03:04:05.000Z"
         *     }
         */
        Upload: {
            id: string;
            href: string;
            /**
             * @description `complete`: what it was for has it.
             * @enum {string}
             */
            state: "open" | "complete";
            path?: string;
            /** @enum {string} */
            part?: "graph" | "batches";
            sizeBytes: number;
            /** @description Durable. */
            receivedBytes: number;
            sha256?: string;
            /** @description Present when the upload comes in parts. */
            partBytes?: number;
            partCount?: number;
            /**
             * Format: date-time
             * @description Unless more bytes come.
             */
            expiresAt: string;
        };
        /**
         * @example {
         *       "path": "model.safetensors",
         *       "sizeBytes": 20000000,
         *       "partBytes": 8388608
         *     }
         */
        FileUploadInput: {
            /** @description Of the whole. */
            sizeBytes: number;
            /**
             * @description Of the whole; checked when it is complete.
             * @example e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
             */
            sha256?: string;
            /**
             * @description Of each part but the last.
             * @default 8388608
             */
            partBytes: number;
            /** @example model.safetensors */
            path: string;
            /** @enum {string} */
            role?: "model" | "sensitivity" | "optimizer" | "other";
        };
        /**
         * @example {
         *       "part": "graph",
         *       "sizeBytes": 20000000
         *     }
         */
        EvalSetUploadInput: {
            /** @description Of the whole. */
            sizeBytes: number;
            /**
             * @description Of the whole; checked when it is complete.
             * @example e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
             */
            sha256?: string;
            /**
             * @description Of each part but the last.
             * @default 8388608
             */
            partBytes: number;
            /** @enum {string} */
            part: "graph" | "batches";
        };
        /**
         * @example {
         *       "number": 1,
         *       "sizeBytes": 8388608,
         *       "sha256": "d19404dce91ecc7a66310ca8a293b5a7eafe9e9022944bc2b84931c35ee5f64d"
         *     }
         */
        UploadPart: {
            number: number;
            sizeBytes: number;
            sha256: string;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "number": 1,
         *           "sizeBytes": 8388608,
         *           "sha256": "d19404dce91ecc7a66310ca8a293b5a7eafe9e9022944bc2b84931c35ee5f64d"
         *         }
         *       ]
         *     }
         */
        UploadPartList: {
            items: components["schemas"]["UploadPart"][];
            next?: string;
        };
        /**
         * @example {
         *       "revision": "663f9e07043140ad6a9a5930947e1e90e4ee7371",
         *       "files": [
         *         {
         *           "path": "model.safetensors",
         *           "sizeBytes": 1788504,
         *           "sha256": "758f3aa0aabba6fcbd72a90fa444b524adc2f4e8a7babfa5526d4f836215b50f",
         *           "href": "/acme/lm-small/resolve/663f9e07043140ad6a9a5930947e1e90e4ee7371/model.safetensors",
         *           "package": {
         *             "id": "12361b94d9e34dc18b09b365babcc933",
         *             "path": "model.safetensors"
         *           }
         *         }
         *       ],
         *       "packages": [
         *         {
         *           "id": "47be3699dbaa46079ba7c5f7b6c39e73",
         *           "sizeBytes": 183949,
         *           "holds": [
         *             "47be3699dbaa46079ba7c5f7b6c39e73"
         *           ],
         *           "etag": "\"47be3699dbaa46079ba7c5f7b6c39e73\"",
         *           "href": "/v1/repositories/acme/lm-small/packages/47be3699dbaa46079ba7c5f7b6c39e73",
         *           "held": true
         *         },
         *         {
         *           "id": "12361b94d9e34dc18b09b365babcc933",
         *           "ancestorId": "47be3699dbaa46079ba7c5f7b6c39e73",
         *           "sizeBytes": 38293,
         *           "holds": [
         *             "12361b94d9e34dc18b09b365babcc933"
         *           ],
         *           "etag": "\"12361b94d9e34dc18b09b365babcc933\"",
         *           "href": "/v1/repositories/acme/lm-small/packages/12361b94d9e34dc18b09b365babcc933",
         *           "held": false
         *         }
         *       ]
         *     }
         */
        Pull: {
            /** @description 40 hex digits; its files never change. */
            revision: string;
            files: components["schemas"]["PullFile"][];
            /** @description Each after its ancestors. */
            packages: components["schemas"]["PullPackage"][];
        };
        PullFile: {
            /** @example model.safetensors */
            path: string;
            sizeBytes: number;
            /**
             * @description Of the file as it is rebuilt, or as it is downloaded.
             * @example e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
             */
            sha256: string;
            /** @description The whole file, not compressed. */
            href: string;
            /** @description The checkpoint’s package that holds the bytes, one of `holds` below, and the path they have in it. Absent for a file that is stored as it is, and for one whose packages lead to a repository that you may not read, such as a private base model: download it by `href`. */
            package?: {
                /** @example 00112233445566778899aabbccddeeff */
                id: string;
                path: string;
            };
        };
        PullPackage: {
            /**
             * @description The id in the package itself. Its ETag is made from it.
             * @example 00112233445566778899aabbccddeeff
             */
            id: string;
            /** @description Packages of checkpoints in it that the revision needs, oldest first: itself, or those of a merged package. */
            holds: string[];
            /**
             * @description The package of a checkpoint that it is a delta to.
             * @example 00112233445566778899aabbccddeeff
             */
            ancestorId?: string;
            sizeBytes: number;
            /** @description Send it as If-Match: a package may have been merged with others since. */
            etag: string;
            /** @description In the repository of the base model for a package of that. */
            href: string;
            /** @description Whether the revision `have` needs all that it holds for this one. */
            held: boolean;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "namespace": "acme",
         *           "logicalBytes": 3577008,
         *           "storedBytes": 5790735,
         *           "stored": {
         *             "packageBytes": 222314,
         *             "stagedBytes": 0,
         *             "rawBytes": 1788564,
         *             "hubBytes": 0,
         *             "evalSetBytes": 1991293,
         *             "hiddenBytes": 0,
         *             "pendingDeletionBytes": 1788564
         *           },
         *           "compressed": {
         *             "checkpointCount": 2,
         *             "rawBytes": 3577008,
         *             "storedBytes": 222314,
         *             "ratio": 16.09
         *           },
         *           "reservedBytes": 0,
         *           "transferred": {
         *             "receivedBytes": 5573840,
         *             "sentBytes": 20412
         *           },
         *           "quota": {
         *             "storedBytesMax": 1000000000000
         *           }
         *         }
         *       ]
         *     }
         */
        NamespaceUsageList: {
            items: components["schemas"]["NamespaceUsage"][];
            /** @description Value of `after` for the next page; absent on the last. */
            next?: string;
        };
        /**
         * @example {
         *       "namespace": "acme",
         *       "logicalBytes": 3577008,
         *       "storedBytes": 5790735,
         *       "stored": {
         *         "packageBytes": 222314,
         *         "stagedBytes": 0,
         *         "rawBytes": 1788564,
         *         "hubBytes": 0,
         *         "evalSetBytes": 1991293,
         *         "hiddenBytes": 0,
         *         "pendingDeletionBytes": 1788564
         *       },
         *       "compressed": {
         *         "checkpointCount": 2,
         *         "rawBytes": 3577008,
         *         "storedBytes": 222314,
         *         "ratio": 16.09
         *       },
         *       "reservedBytes": 0,
         *       "transferred": {
         *         "receivedBytes": 5573840,
         *         "sentBytes": 20412
         *       },
         *       "quota": {
         *         "storedBytesMax": 1000000000000
         *       }
         *     }
         */
        NamespaceUsage: components["schemas"]["Usage"] & {
            namespace: string;
            quota?: {
                /** @description Of `storedBytes` without `pendingDeletionBytes`, and of `reservedBytes`; an upload that would go beyond is refused before its body. */
                storedBytesMax: number;
            };
        };
        /**
         * @example {
         *       "logicalBytes": 3577008,
         *       "storedBytes": 5790735,
         *       "stored": {
         *         "packageBytes": 222314,
         *         "stagedBytes": 0,
         *         "rawBytes": 1788564,
         *         "hubBytes": 0,
         *         "evalSetBytes": 1991293,
         *         "hiddenBytes": 0,
         *         "pendingDeletionBytes": 1788564
         *       },
         *       "compressed": {
         *         "checkpointCount": 2,
         *         "rawBytes": 3577008,
         *         "storedBytes": 222314,
         *         "ratio": 16.09
         *       },
         *       "reservedBytes": 0,
         *       "transferred": {
         *         "receivedBytes": 5573840,
         *         "sentBytes": 20412
         *       }
         *     }
         */
        Usage: {
            /** @description Files of the checkpoints that can be seen, as they were uploaded; without sensitivities. */
            logicalBytes: number;
            /** @description Everything in the store because of them: the sum of `stored`. */
            storedBytes: number;
            /** @description With frames and checksums. */
            stored: {
                /** @description Packages. */
                packageBytes: number;
                /** @description Uploads that wait to be compressed. */
                stagedBytes: number;
                /** @description Uploads that are kept: files stored as they are, and those of the newest checkpoint of a lossy run. */
                rawBytes: number;
                /** @description Files that hub clients committed and no checkpoint holds. */
                hubBytes: number;
                /** @description Graphs and batches of eval sets. */
                evalSetBytes: number;
                /** @description What deleted checkpoints leave because others build on it. */
                hiddenBytes: number;
                /** @description What nothing needs any more and is deleted after the grace. */
                pendingDeletionBytes: number;
            };
            /** @description What compression made of the checkpoints. It is no part of its own: `stored` counts these bytes in `packageBytes` and `rawBytes`. */
            compressed: {
                /** @description Checkpoints that are ready. */
                checkpointCount: number;
                /** @description Their files as they were uploaded, without sensitivities. */
                rawBytes: number;
                /** @description Their `storedBytes` added up: packages, and files stored as they are. */
                storedBytes: number;
                /** @description `rawBytes` by `storedBytes`. Absent without checkpoints. */
                ratio?: number;
            };
            /** @description Room given to bodies on their way; not stored yet. */
            reservedBytes: number;
            transferred: {
                /** @description Bytes of requests, headers included. Told a minute late at most. */
                receivedBytes: number;
                /** @description Bytes of answers, headers included. Told a minute late at most. */
                sentBytes: number;
            };
        };
        /**
         * @example {
         *       "storedBytesMax": 1000000000000
         *     }
         */
        QuotaInput: {
            /**
             * @description null: no limit but that of the storage.
             * @example 1000000000000
             */
            storedBytesMax: number | null;
        };
        /**
         * @example {
         *       "id": "a1B2c3D4e5F6",
         *       "name": "training cluster",
         *       "grants": [
         *         "write:acme"
         *       ],
         *       "createdAt": "2026-01-02T03:04:05.000Z",
         *       "token": "hf_a1B2c3D4e5F6xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
         *     }
         */
        CreatedToken: components["schemas"]["Token"] & {
            /** @description What to send as `Authorization: Bearer`. It is shown only here. */
            token: string;
        };
        /**
         * @example {
         *       "id": "a1B2c3D4e5F6",
         *       "name": "training cluster",
         *       "grants": [
         *         "write:acme"
         *       ],
         *       "createdAt": "2026-01-02T03:04:05.000Z"
         *     }
         */
        Token: {
            /** @description The twelve characters of its text after `hf_`. */
            id: string;
            name: string;
            grants: string[];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt?: string;
            /** Format: date-time */
            revokedAt?: string;
        };
        /**
         * @example {
         *       "name": "training cluster",
         *       "grants": [
         *         "write:acme"
         *       ]
         *     }
         */
        TokenInput: {
            /**
             * @description For people: whose it is, or what for.
             * @example training cluster
             */
            name: string;
            /** @description Scopes with the place they hold on; a scope without one holds on everything. */
            grants: string[];
            /**
             * Format: date-time
             * @description From when on it is refused; never when absent.
             * @example 2027-01-01T00:00:00Z
             */
            expiresAt?: string;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "id": "a1B2c3D4e5F6",
         *           "name": "training cluster",
         *           "grants": [
         *             "write:acme"
         *           ],
         *           "createdAt": "2026-01-02T03:04:05.000Z"
         *         }
         *       ]
         *     }
         */
        TokenList: {
            items: components["schemas"]["Token"][];
            /** @description Value of `after` for the next page; absent on the last. */
            next?: string;
        };
        /**
         * @example {
         *       "id": "a1B2c3D4e5F6",
         *       "name": "training cluster",
         *       "grants": [
         *         "write:acme"
         *       ]
         *     }
         */
        Whoami: {
            /** @description Of the token; `anonymous` without one, `operator` on a server without access control. */
            id: string;
            name: string;
            grants: string[];
        };
        /**
         * @example {
         *       "id": "00112233445566778899aabbccddeeff",
         *       "namespace": "acme",
         *       "url": "https://ci.example/firn",
         *       "events": [
         *         "checkpoint.ready"
         *       ],
         *       "active": true,
         *       "createdAt": "2026-01-02T03:04:05.000Z",
         *       "secret": "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
         *     }
         */
        CreatedWebhook: components["schemas"]["Webhook"] & {
            /** @description Key of the signatures. It is shown only here. */
            secret: string;
        };
        /**
         * @example {
         *       "id": "00112233445566778899aabbccddeeff",
         *       "namespace": "acme",
         *       "url": "https://ci.example/firn",
         *       "events": [
         *         "checkpoint.ready"
         *       ],
         *       "active": true,
         *       "createdAt": "2026-01-02T03:04:05.000Z"
         *     }
         */
        Webhook: {
            id: string;
            namespace: string;
            /** @description Absent: all repositories of the namespace. */
            repository?: string;
            url: string;
            events: ("checkpoint.ready" | "checkpoint.failed" | "checkpoint.damaged")[];
            /** @description False once its receiver answered 410 (Gone). */
            active: boolean;
            /** Format: date-time */
            createdAt: string;
        };
        /**
         * @example {
         *       "namespace": "acme",
         *       "url": "https://ci.example/firn",
         *       "events": [
         *         "checkpoint.ready"
         *       ]
         *     }
         */
        WebhookInput: {
            /**
             * @description The namespace that it gets messages about.
             * @example acme
             */
            namespace: string;
            /**
             * @description Only this repository of the namespace.
             * @example lm-small
             */
            repository?: string;
            /**
             * Format: uri
             * @description Where messages are posted to: https, and no address of a private network, unless the operator allows both (FIRN_WEBHOOKS_PRIVATE).
             * @example https://ci.example/firn
             */
            url: string;
            /**
             * @description The events that it gets messages about; all by default.
             * @example [
             *       "checkpoint.ready",
             *       "checkpoint.failed",
             *       "checkpoint.damaged"
             *     ]
             */
            events?: ("checkpoint.ready" | "checkpoint.failed" | "checkpoint.damaged")[];
            /**
             * @description Made up by the hub when absent.
             * @example whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=
             */
            secret?: string;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "id": "00112233445566778899aabbccddeeff",
         *           "namespace": "acme",
         *           "url": "https://ci.example/firn",
         *           "events": [
         *             "checkpoint.ready"
         *           ],
         *           "active": true,
         *           "createdAt": "2026-01-02T03:04:05.000Z"
         *         }
         *       ]
         *     }
         */
        WebhookList: {
            items: components["schemas"]["Webhook"][];
            /** @description Value of `after` for the next page; absent on the last. */
            next?: string;
        };
        /**
         * @example {
         *       "active": false
         *     }
         */
        WebhookChange: {
            /**
             * Format: uri
             * @description Where messages are posted to: https, and no address of a private network, unless the operator allows both (FIRN_WEBHOOKS_PRIVATE).
             * @example https://ci.example/firn
             */
            url?: string;
            /**
             * @description The events that it gets messages about.
             * @example [
             *       "checkpoint.ready",
             *       "checkpoint.failed",
             *       "checkpoint.damaged"
             *     ]
             */
            events?: ("checkpoint.ready" | "checkpoint.failed" | "checkpoint.damaged")[];
            /**
             * @description Signs every message from now on.
             * @example whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=
             */
            secret?: string;
            /** @description False: nothing is sent but pings. */
            active?: boolean;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "id": "42",
         *           "event": "checkpoint.ready",
         *           "body": "{\"type\":\"checkpoint.ready\",\"timestamp\":\"2026-01-02T03:04:05.000Z\",\"data\":{\"repository\":\"acme/lm-small\",\"run\":\"first\",\"step\":1000}}",
         *           "state": "delivered",
         *           "attempts": 1,
         *           "status": 204,
         *           "createdAt": "2026-01-02T03:04:05.000Z",
         *           "finishedAt": "2026-01-02T03:04:06.000Z"
         *         }
         *       ]
         *     }
         */
        WebhookMessageList: {
            items: components["schemas"]["WebhookMessage"][];
            /** @description Value of `after` for the next page; absent on the last. */
            next?: string;
        };
        /**
         * @example {
         *       "id": "42",
         *       "event": "checkpoint.ready",
         *       "body": "{\"type\":\"checkpoint.ready\",\"timestamp\":\"2026-01-02T03:04:05.000Z\",\"data\":{\"repository\":\"acme/lm-small\",\"run\":\"first\",\"step\":1000}}",
         *       "state": "delivered",
         *       "attempts": 1,
         *       "status": 204,
         *       "createdAt": "2026-01-02T03:04:05.000Z",
         *       "finishedAt": "2026-01-02T03:04:06.000Z"
         *     }
         */
        WebhookMessage: {
            /** @description Sent as `webhook-id`, with `msg_` before it. */
            id: string;
            /** @enum {string} */
            event: "checkpoint.ready" | "checkpoint.failed" | "checkpoint.damaged" | "ping";
            /** @description The JSON that is sent. */
            body: string;
            /**
             * @description `pending`: not taken yet. `failed`: ten attempts in two days, and no more.
             * @enum {string}
             */
            state: "pending" | "delivered" | "failed";
            /** @description How often it was sent. */
            attempts: number;
            /**
             * Format: date-time
             * @description When a pending one is sent next.
             */
            nextAt?: string;
            /** @description Of the receiver's last answer. */
            status?: number;
            /** @description Why the last attempt failed. */
            error?: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            finishedAt?: string;
        };
        /**
         * @example {
         *       "status": "ready",
         *       "checks": {
         *         "process": "ok",
         *         "catalog": "ok",
         *         "store": "ok",
         *         "workers": "ok",
         *         "claims": "ok",
         *         "evaluation": "ok"
         *       },
         *       "workers": {
         *         "living": 1,
         *         "oldestSignSeconds": 6.3,
         *         "newestSignSeconds": 6.3
         *       }
         *     }
         */
        Readiness: {
            /**
             * @description `degraded`: requests are answered, but not everything behind them is done.
             * @enum {string}
             */
            status: "ready" | "degraded" | "not-ready";
            checks: {
                [key: string]: "ok" | "failed";
            };
            workers?: {
                /** @description Workers of the hub that gave a sign of life within 35 seconds. */
                living: number;
                /** @description Age of the oldest of their latest signs. */
                oldestSignSeconds?: number;
                /** @description Age of the newest. */
                newestSignSeconds?: number;
            };
            /** @description The device that this process compresses with, if it has one. */
            device?: {
                name: string;
                /** @description Of its memory, what the process may use. */
                memoryBytes: number;
                memoryUsedBytes: number;
                /** @description Seconds since the start in which it had work; their rate is the utilisation. */
                busySeconds: number;
            };
        };
        /**
         * @example {
         *       "code": "not-found",
         *       "status": 404,
         *       "title": "Not found",
         *       "cause": "There is no such thing, or the token may not see it: both look the same.",
         *       "remedy": "Check the spelling of the path, and that the token may read the repository.",
         *       "example": "GET of a step that was never uploaded."
         *     }
         */
        ProblemKind: {
            code: string;
            status: number;
            title: string;
            /** @description What leads to it. */
            cause: string;
            /** @description What to do about it. */
            remedy: string;
            /** @description A case of it. */
            example: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listRepositories: {
        parameters: {
            query?: {
                /** @description Most entries to return; 100 by default. */
                limit?: number;
                /** @description `next` of the page before. */
                after?: string;
                /** @description A part of `namespace/name`, in upper or lower case. Only repositories with it are listed. */
                search?: string;
                /** @description Only repositories of this namespace are listed. */
                namespace?: string;
                /** @description Only repositories with this visibility are listed. */
                visibility?: "private" | "public";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RepositoryList"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createRepository: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeated within 24 hours with the same path and body, a request that succeeded is not done again but answered as the first time, with `Idempotent-Replayed: true`; with another path or body, or while the first still runs, it is refused with 409. A key belongs to the token it is sent with. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RepositoryInput"];
            };
        };
        responses: {
            /** @description Created; Location names it. */
            201: {
                headers: {
                    /** @description Strong; changes when anything in the answer does. For If-Match and If-None-Match. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Repository"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrives too slowly; what a resumable upload has acknowledged stays. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/body-too-slow",
                     *       "title": "The body arrives too slowly",
                     *       "status": 408,
                     *       "code": "body-too-slow",
                     *       "detail": "The body arrives too slowly.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of the resource does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/conflict",
                     *       "title": "The state of the resource does not allow this",
                     *       "status": 409,
                     *       "code": "conflict",
                     *       "detail": "The repository exists already.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/payload-too-large",
                     *       "title": "The body is too large",
                     *       "status": 413,
                     *       "code": "payload-too-large",
                     *       "detail": "The body is larger than 1 MiB.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unsupported-media-type",
                     *       "title": "The media type is not supported",
                     *       "status": 415,
                     *       "code": "unsupported-media-type",
                     *       "detail": "The body must be application/json.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRepository: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETags that the client has; if it is one of them, the answer is 304 without a body. */
                "if-none-match"?: string;
                /** @description Answered only if its ETag is one of these. */
                "if-match"?: string;
            };
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The repository. */
            200: {
                headers: {
                    /** @description Strong; changes when anything in the answer does. For If-Match and If-None-Match. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Repository"];
                };
            };
            /** @description The client has it already: If-None-Match. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/precondition-failed",
                     *       "title": "A precondition failed",
                     *       "status": 412,
                     *       "code": "precondition-failed",
                     *       "detail": "The file has another ETag than If-Match asks for.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteRepository: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the answer that the change is made from. If anything in it has changed since, nothing is done: 412. Of several clients that change the same at once, one succeeds. */
                "if-match"?: string;
            };
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of the resource does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/conflict",
                     *       "title": "The state of the resource does not allow this",
                     *       "status": 409,
                     *       "code": "conflict",
                     *       "detail": "The repository exists already.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/precondition-failed",
                     *       "title": "A precondition failed",
                     *       "status": 412,
                     *       "code": "precondition-failed",
                     *       "detail": "The file has another ETag than If-Match asks for.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    changeRepository: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the answer that the change is made from. If anything in it has changed since, nothing is done: 412. Of several clients that change the same at once, one succeeds. */
                "if-match"?: string;
            };
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RepositoryChange"];
            };
        };
        responses: {
            /** @description The repository as it is now. */
            200: {
                headers: {
                    /** @description Strong; changes when anything in the answer does. For If-Match and If-None-Match. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Repository"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrives too slowly; what a resumable upload has acknowledged stays. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/body-too-slow",
                     *       "title": "The body arrives too slowly",
                     *       "status": 408,
                     *       "code": "body-too-slow",
                     *       "detail": "The body arrives too slowly.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of the resource does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/conflict",
                     *       "title": "The state of the resource does not allow this",
                     *       "status": 409,
                     *       "code": "conflict",
                     *       "detail": "The repository exists already.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/precondition-failed",
                     *       "title": "A precondition failed",
                     *       "status": 412,
                     *       "code": "precondition-failed",
                     *       "detail": "The file has another ETag than If-Match asks for.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/payload-too-large",
                     *       "title": "The body is too large",
                     *       "status": 413,
                     *       "code": "payload-too-large",
                     *       "detail": "The body is larger than 1 MiB.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unsupported-media-type",
                     *       "title": "The media type is not supported",
                     *       "status": 415,
                     *       "code": "unsupported-media-type",
                     *       "detail": "The body must be application/json.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is not acceptable. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/header-truncated",
                     *       "title": "The safetensors header is cut short",
                     *       "status": 422,
                     *       "code": "header-truncated",
                     *       "detail": "The file ends inside its safetensors header.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listEvalSets: {
        parameters: {
            query?: {
                /** @description Most entries to return; 100 by default. */
                limit?: number;
                /** @description `next` of the page before. */
                after?: string;
            };
            header?: never;
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvalSetList"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createEvalSet: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeated within 24 hours with the same path and body, a request that succeeded is not done again but answered as the first time, with `Idempotent-Replayed: true`; with another path or body, or while the first still runs, it is refused with 409. A key belongs to the token it is sent with. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EvalSetInput"];
            };
        };
        responses: {
            /** @description Created, open for its graph and batches; Location names it. */
            201: {
                headers: {
                    /** @description Strong; changes when anything in the answer does. For If-Match and If-None-Match. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvalSet"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrives too slowly; what a resumable upload has acknowledged stays. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/body-too-slow",
                     *       "title": "The body arrives too slowly",
                     *       "status": 408,
                     *       "code": "body-too-slow",
                     *       "detail": "The body arrives too slowly.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of the resource does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/conflict",
                     *       "title": "The state of the resource does not allow this",
                     *       "status": 409,
                     *       "code": "conflict",
                     *       "detail": "The repository exists already.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/payload-too-large",
                     *       "title": "The body is too large",
                     *       "status": 413,
                     *       "code": "payload-too-large",
                     *       "detail": "The body is larger than 1 MiB.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unsupported-media-type",
                     *       "title": "The media type is not supported",
                     *       "status": 415,
                     *       "code": "unsupported-media-type",
                     *       "detail": "The body must be application/json.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getEvalSet: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETags that the client has; if it is one of them, the answer is 304 without a body. */
                "if-none-match"?: string;
                /** @description Answered only if its ETag is one of these. */
                "if-match"?: string;
            };
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Name of the eval set. */
                evalSet: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The eval set. */
            200: {
                headers: {
                    /** @description Strong; changes when anything in the answer does. For If-Match and If-None-Match. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvalSet"];
                };
            };
            /** @description The client has it already: If-None-Match. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/precondition-failed",
                     *       "title": "A precondition failed",
                     *       "status": 412,
                     *       "code": "precondition-failed",
                     *       "detail": "The file has another ETag than If-Match asks for.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteEvalSet: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the answer that the change is made from. If anything in it has changed since, nothing is done: 412. Of several clients that change the same at once, one succeeds. */
                "if-match"?: string;
            };
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Name of the eval set. */
                evalSet: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of the resource does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/conflict",
                     *       "title": "The state of the resource does not allow this",
                     *       "status": 409,
                     *       "code": "conflict",
                     *       "detail": "The repository exists already.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/precondition-failed",
                     *       "title": "A precondition failed",
                     *       "status": 412,
                     *       "code": "precondition-failed",
                     *       "detail": "The file has another ETag than If-Match asks for.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putEvalSetGraph: {
        parameters: {
            query?: never;
            header?: {
                /** @description RFC 9530; a sha-256 and a sha-512 are checked against the body, other algorithms are not. Keys are lower-case. */
                "repr-digest"?: string;
                /** @description As Repr-Digest. */
                "content-digest"?: string;
                /** @description The ETag of the answer that the change is made from. If anything in it has changed since, nothing is done: 412. Of several clients that change the same at once, one succeeds. */
                "if-match"?: string;
            };
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Name of the eval set. */
                evalSet: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example (the bytes of the file) */
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description Received. */
            200: {
                headers: {
                    /** @description Strong; changes when anything in the answer does. For If-Match and If-None-Match. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvalSet"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrives too slowly; what a resumable upload has acknowledged stays. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/body-too-slow",
                     *       "title": "The body arrives too slowly",
                     *       "status": 408,
                     *       "code": "body-too-slow",
                     *       "detail": "The body arrives too slowly.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of the resource does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/conflict",
                     *       "title": "The state of the resource does not allow this",
                     *       "status": 409,
                     *       "code": "conflict",
                     *       "detail": "The repository exists already.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A Content-Length is needed. */
            411: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/length-required",
                     *       "title": "A Content-Length is needed",
                     *       "status": 411,
                     *       "code": "length-required",
                     *       "detail": "The upload needs a Content-Length.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/precondition-failed",
                     *       "title": "A precondition failed",
                     *       "status": 412,
                     *       "code": "precondition-failed",
                     *       "detail": "The file has another ETag than If-Match asks for.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/payload-too-large",
                     *       "title": "The body is too large",
                     *       "status": 413,
                     *       "code": "payload-too-large",
                     *       "detail": "The body is larger than 1 MiB.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unsupported-media-type",
                     *       "title": "The media type is not supported",
                     *       "status": 415,
                     *       "code": "unsupported-media-type",
                     *       "detail": "The body must be application/json.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is not acceptable. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/header-truncated",
                     *       "title": "The safetensors header is cut short",
                     *       "status": 422,
                     *       "code": "header-truncated",
                     *       "detail": "The file ends inside its safetensors header.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much is waiting; try again after Retry-After seconds. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unavailable",
                     *       "title": "The storage cannot be reached",
                     *       "status": 503,
                     *       "code": "unavailable",
                     *       "detail": "The storage takes too long to answer.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The storage is full; try again after Retry-After seconds. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/storage-full",
                     *       "title": "The storage is full",
                     *       "status": 507,
                     *       "code": "storage-full",
                     *       "detail": "The storage takes no file as large as this.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putEvalSetBatches: {
        parameters: {
            query?: never;
            header?: {
                /** @description RFC 9530; a sha-256 and a sha-512 are checked against the body, other algorithms are not. Keys are lower-case. */
                "repr-digest"?: string;
                /** @description As Repr-Digest. */
                "content-digest"?: string;
                /** @description The ETag of the answer that the change is made from. If anything in it has changed since, nothing is done: 412. Of several clients that change the same at once, one succeeds. */
                "if-match"?: string;
            };
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Name of the eval set. */
                evalSet: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example (the bytes of the file) */
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description Received. */
            200: {
                headers: {
                    /** @description Strong; changes when anything in the answer does. For If-Match and If-None-Match. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvalSet"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrives too slowly; what a resumable upload has acknowledged stays. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/body-too-slow",
                     *       "title": "The body arrives too slowly",
                     *       "status": 408,
                     *       "code": "body-too-slow",
                     *       "detail": "The body arrives too slowly.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of the resource does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/conflict",
                     *       "title": "The state of the resource does not allow this",
                     *       "status": 409,
                     *       "code": "conflict",
                     *       "detail": "The repository exists already.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A Content-Length is needed. */
            411: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/length-required",
                     *       "title": "A Content-Length is needed",
                     *       "status": 411,
                     *       "code": "length-required",
                     *       "detail": "The upload needs a Content-Length.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/precondition-failed",
                     *       "title": "A precondition failed",
                     *       "status": 412,
                     *       "code": "precondition-failed",
                     *       "detail": "The file has another ETag than If-Match asks for.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/payload-too-large",
                     *       "title": "The body is too large",
                     *       "status": 413,
                     *       "code": "payload-too-large",
                     *       "detail": "The body is larger than 1 MiB.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unsupported-media-type",
                     *       "title": "The media type is not supported",
                     *       "status": 415,
                     *       "code": "unsupported-media-type",
                     *       "detail": "The body must be application/json.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is not acceptable. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/header-truncated",
                     *       "title": "The safetensors header is cut short",
                     *       "status": 422,
                     *       "code": "header-truncated",
                     *       "detail": "The file ends inside its safetensors header.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much is waiting; try again after Retry-After seconds. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unavailable",
                     *       "title": "The storage cannot be reached",
                     *       "status": 503,
                     *       "code": "unavailable",
                     *       "detail": "The storage takes too long to answer.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The storage is full; try again after Retry-After seconds. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/storage-full",
                     *       "title": "The storage is full",
                     *       "status": 507,
                     *       "code": "storage-full",
                     *       "detail": "The storage takes no file as large as this.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    commitEvalSet: {
        parameters: {
            query?: {
                /** @description A checkpoint of the repository whose model files have arrived, as `run@step`; its state does not matter. */
                check?: string;
            };
            header?: {
                /** @description Repeated within 24 hours with the same path and body, a request that succeeded is not done again but answered as the first time, with `Idempotent-Replayed: true`; with another path or body, or while the first still runs, it is refused with 409. A key belongs to the token it is sent with. */
                "idempotency-key"?: string;
                /** @description The ETag of the answer that the change is made from. If anything in it has changed since, nothing is done: 412. Of several clients that change the same at once, one succeeds. */
                "if-match"?: string;
            };
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Name of the eval set. */
                evalSet: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ready for runs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckedEvalSet"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of the resource does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/conflict",
                     *       "title": "The state of the resource does not allow this",
                     *       "status": 409,
                     *       "code": "conflict",
                     *       "detail": "The repository exists already.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/precondition-failed",
                     *       "title": "A precondition failed",
                     *       "status": 412,
                     *       "code": "precondition-failed",
                     *       "detail": "The file has another ETag than If-Match asks for.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is not acceptable. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/header-truncated",
                     *       "title": "The safetensors header is cut short",
                     *       "status": 422,
                     *       "code": "header-truncated",
                     *       "detail": "The file ends inside its safetensors header.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much is waiting; try again after Retry-After seconds. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unavailable",
                     *       "title": "The storage cannot be reached",
                     *       "status": 503,
                     *       "code": "unavailable",
                     *       "detail": "The storage takes too long to answer.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The storage is full; try again after Retry-After seconds. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/storage-full",
                     *       "title": "The storage is full",
                     *       "status": 507,
                     *       "code": "storage-full",
                     *       "detail": "The storage takes no file as large as this.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    checkEvalSet: {
        parameters: {
            query: {
                /** @description A checkpoint of the repository whose model files have arrived, as `run@step`; its state does not matter. */
                checkpoint: string;
            };
            header?: {
                /** @description Repeated within 24 hours with the same path and body, a request that succeeded is not done again but answered as the first time, with `Idempotent-Replayed: true`; with another path or body, or while the first still runs, it is refused with 409. A key belongs to the token it is sent with. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Name of the eval set. */
                evalSet: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was found. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvalSetReport"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of the resource does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/conflict",
                     *       "title": "The state of the resource does not allow this",
                     *       "status": 409,
                     *       "code": "conflict",
                     *       "detail": "The repository exists already.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is not acceptable. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/header-truncated",
                     *       "title": "The safetensors header is cut short",
                     *       "status": 422,
                     *       "code": "header-truncated",
                     *       "detail": "The file ends inside its safetensors header.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much is waiting; try again after Retry-After seconds. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unavailable",
                     *       "title": "The storage cannot be reached",
                     *       "status": 503,
                     *       "code": "unavailable",
                     *       "detail": "The storage takes too long to answer.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The storage is full; try again after Retry-After seconds. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/storage-full",
                     *       "title": "The storage is full",
                     *       "status": 507,
                     *       "code": "storage-full",
                     *       "detail": "The storage takes no file as large as this.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listRuns: {
        parameters: {
            query?: {
                /** @description Most entries to return; 100 by default. */
                limit?: number;
                /** @description `next` of the page before. */
                after?: string;
            };
            header?: never;
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunList"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeated within 24 hours with the same path and body, a request that succeeded is not done again but answered as the first time, with `Idempotent-Replayed: true`; with another path or body, or while the first still runs, it is refused with 409. A key belongs to the token it is sent with. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunInput"];
            };
        };
        responses: {
            /** @description Created; Location names it. */
            201: {
                headers: {
                    /** @description Strong; changes when anything in the answer does. For If-Match and If-None-Match. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrives too slowly; what a resumable upload has acknowledged stays. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/body-too-slow",
                     *       "title": "The body arrives too slowly",
                     *       "status": 408,
                     *       "code": "body-too-slow",
                     *       "detail": "The body arrives too slowly.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of the resource does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/conflict",
                     *       "title": "The state of the resource does not allow this",
                     *       "status": 409,
                     *       "code": "conflict",
                     *       "detail": "The repository exists already.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/payload-too-large",
                     *       "title": "The body is too large",
                     *       "status": 413,
                     *       "code": "payload-too-large",
                     *       "detail": "The body is larger than 1 MiB.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unsupported-media-type",
                     *       "title": "The media type is not supported",
                     *       "status": 415,
                     *       "code": "unsupported-media-type",
                     *       "detail": "The body must be application/json.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is not acceptable. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/header-truncated",
                     *       "title": "The safetensors header is cut short",
                     *       "status": 422,
                     *       "code": "header-truncated",
                     *       "detail": "The file ends inside its safetensors header.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETags that the client has; if it is one of them, the answer is 304 without a body. */
                "if-none-match"?: string;
                /** @description Answered only if its ETag is one of these. */
                "if-match"?: string;
            };
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Name of the run. */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run. */
            200: {
                headers: {
                    /** @description Strong; changes when anything in the answer does. For If-Match and If-None-Match. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description The client has it already: If-None-Match. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/precondition-failed",
                     *       "title": "A precondition failed",
                     *       "status": 412,
                     *       "code": "precondition-failed",
                     *       "detail": "The file has another ETag than If-Match asks for.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the answer that the change is made from. If anything in it has changed since, nothing is done: 412. Of several clients that change the same at once, one succeeds. */
                "if-match"?: string;
            };
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Name of the run. */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of the resource does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/conflict",
                     *       "title": "The state of the resource does not allow this",
                     *       "status": 409,
                     *       "code": "conflict",
                     *       "detail": "The repository exists already.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/precondition-failed",
                     *       "title": "A precondition failed",
                     *       "status": 412,
                     *       "code": "precondition-failed",
                     *       "detail": "The file has another ETag than If-Match asks for.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    changeRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the answer that the change is made from. If anything in it has changed since, nothing is done: 412. Of several clients that change the same at once, one succeeds. */
                "if-match"?: string;
            };
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Name of the run. */
                run: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunChange"];
            };
        };
        responses: {
            /** @description The run as it is now. */
            200: {
                headers: {
                    /** @description Strong; changes when anything in the answer does. For If-Match and If-None-Match. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrives too slowly; what a resumable upload has acknowledged stays. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/body-too-slow",
                     *       "title": "The body arrives too slowly",
                     *       "status": 408,
                     *       "code": "body-too-slow",
                     *       "detail": "The body arrives too slowly.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of the resource does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/conflict",
                     *       "title": "The state of the resource does not allow this",
                     *       "status": 409,
                     *       "code": "conflict",
                     *       "detail": "The repository exists already.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/precondition-failed",
                     *       "title": "A precondition failed",
                     *       "status": 412,
                     *       "code": "precondition-failed",
                     *       "detail": "The file has another ETag than If-Match asks for.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/payload-too-large",
                     *       "title": "The body is too large",
                     *       "status": 413,
                     *       "code": "payload-too-large",
                     *       "detail": "The body is larger than 1 MiB.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unsupported-media-type",
                     *       "title": "The media type is not supported",
                     *       "status": 415,
                     *       "code": "unsupported-media-type",
                     *       "detail": "The body must be application/json.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is not acceptable. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/header-truncated",
                     *       "title": "The safetensors header is cut short",
                     *       "status": 422,
                     *       "code": "header-truncated",
                     *       "detail": "The file ends inside its safetensors header.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listCheckpoints: {
        parameters: {
            query?: {
                /** @description Most entries to return; 100 by default. */
                limit?: number;
                /** @description `next` of the page before. */
                after?: string;
                /** @description `newest` begins with the newest checkpoint; `oldest` is the default. Keep it from page to page. */
                order?: "oldest" | "newest";
            };
            header?: never;
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Name of the run. */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckpointList"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    reserveCheckpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeated within 24 hours with the same path and body, a request that succeeded is not done again but answered as the first time, with `Idempotent-Replayed: true`; with another path or body, or while the first still runs, it is refused with 409. A key belongs to the token it is sent with. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Name of the run. */
                run: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CheckpointInput"];
            };
        };
        responses: {
            /** @description With `commit`: the step was committed before with these very files. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReservedCheckpoint"];
                };
            };
            /** @description Reserved, with its place in the order of the run; Location names it. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReservedCheckpoint"];
                };
            };
            /** @description Committed: durable and waiting for compression. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReservedCheckpoint"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrives too slowly; what a resumable upload has acknowledged stays. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/body-too-slow",
                     *       "title": "The body arrives too slowly",
                     *       "status": 408,
                     *       "code": "body-too-slow",
                     *       "detail": "The body arrives too slowly.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of the resource does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/conflict",
                     *       "title": "The state of the resource does not allow this",
                     *       "status": 409,
                     *       "code": "conflict",
                     *       "detail": "The repository exists already.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/payload-too-large",
                     *       "title": "The body is too large",
                     *       "status": 413,
                     *       "code": "payload-too-large",
                     *       "detail": "The body is larger than 1 MiB.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unsupported-media-type",
                     *       "title": "The media type is not supported",
                     *       "status": 415,
                     *       "code": "unsupported-media-type",
                     *       "detail": "The body must be application/json.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is not acceptable. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/header-truncated",
                     *       "title": "The safetensors header is cut short",
                     *       "status": 422,
                     *       "code": "header-truncated",
                     *       "detail": "The file ends inside its safetensors header.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much is waiting; try again after Retry-After seconds. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unavailable",
                     *       "title": "The storage cannot be reached",
                     *       "status": 503,
                     *       "code": "unavailable",
                     *       "detail": "The storage takes too long to answer.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The storage is full; try again after Retry-After seconds. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/storage-full",
                     *       "title": "The storage is full",
                     *       "status": 507,
                     *       "code": "storage-full",
                     *       "detail": "The storage takes no file as large as this.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getCheckpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETags that the client has; if it is one of them, the answer is 304 without a body. */
                "if-none-match"?: string;
                /** @description Answered only if its ETag is one of these. */
                "if-match"?: string;
            };
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Name of the run. */
                run: string;
                /** @description Training step of the checkpoint, or `latest`: the newest one of the run that is ready. */
                step: number | string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The checkpoint. */
            200: {
                headers: {
                    /** @description Strong; changes when anything in the answer does. For If-Match and If-None-Match. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckpointDetails"];
                };
            };
            /** @description The client has it already: If-None-Match. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/precondition-failed",
                     *       "title": "A precondition failed",
                     *       "status": 412,
                     *       "code": "precondition-failed",
                     *       "detail": "The file has another ETag than If-Match asks for.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    pushCheckpoint: {
        parameters: {
            query?: {
                /** @description A JSON object, tensor to layer type, for this checkpoint; each entry wins over that of the run. */
                layerTypes?: string;
                /** @description A JSON object, metric to what the training job measured; as `expects` of a reservation. */
                expects?: string;
                /** @description `true`, or a JSON object; as `final` of a reservation. */
                final?: string;
            };
            header?: {
                /** @description RFC 9530; a sha-256 and a sha-512 are checked against the body, other algorithms are not. Keys are lower-case. */
                "repr-digest"?: string;
                /** @description As Repr-Digest. */
                "content-digest"?: string;
            };
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Name of the run. */
                run: string;
                /** @description Training step of the checkpoint. */
                step: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example (the bytes of the file) */
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description The step exists with these very bytes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Checkpoint"];
                };
            };
            /** @description Durable and waiting for compression; Location names its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Checkpoint"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrives too slowly; what a resumable upload has acknowledged stays. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/body-too-slow",
                     *       "title": "The body arrives too slowly",
                     *       "status": 408,
                     *       "code": "body-too-slow",
                     *       "detail": "The body arrives too slowly.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of the resource does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/conflict",
                     *       "title": "The state of the resource does not allow this",
                     *       "status": 409,
                     *       "code": "conflict",
                     *       "detail": "The repository exists already.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A Content-Length is needed. */
            411: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/length-required",
                     *       "title": "A Content-Length is needed",
                     *       "status": 411,
                     *       "code": "length-required",
                     *       "detail": "The upload needs a Content-Length.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/payload-too-large",
                     *       "title": "The body is too large",
                     *       "status": 413,
                     *       "code": "payload-too-large",
                     *       "detail": "The body is larger than 1 MiB.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unsupported-media-type",
                     *       "title": "The media type is not supported",
                     *       "status": 415,
                     *       "code": "unsupported-media-type",
                     *       "detail": "The body must be application/json.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is not acceptable. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/header-truncated",
                     *       "title": "The safetensors header is cut short",
                     *       "status": 422,
                     *       "code": "header-truncated",
                     *       "detail": "The file ends inside its safetensors header.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much is waiting; try again after Retry-After seconds. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unavailable",
                     *       "title": "The storage cannot be reached",
                     *       "status": 503,
                     *       "code": "unavailable",
                     *       "detail": "The storage takes too long to answer.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The storage is full; try again after Retry-After seconds. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/storage-full",
                     *       "title": "The storage is full",
                     *       "status": 507,
                     *       "code": "storage-full",
                     *       "detail": "The storage takes no file as large as this.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteCheckpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the answer that the change is made from. If anything in it has changed since, nothing is done: 412. Of several clients that change the same at once, one succeeds. */
                "if-match"?: string;
            };
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Name of the run. */
                run: string;
                /** @description Training step of the checkpoint. */
                step: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of the resource does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/conflict",
                     *       "title": "The state of the resource does not allow this",
                     *       "status": 409,
                     *       "code": "conflict",
                     *       "detail": "The repository exists already.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/precondition-failed",
                     *       "title": "A precondition failed",
                     *       "status": 412,
                     *       "code": "precondition-failed",
                     *       "detail": "The file has another ETag than If-Match asks for.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    commitCheckpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeated within 24 hours with the same path and body, a request that succeeded is not done again but answered as the first time, with `Idempotent-Replayed: true`; with another path or body, or while the first still runs, it is refused with 409. A key belongs to the token it is sent with. */
                "idempotency-key"?: string;
                /** @description The ETag of the answer that the change is made from. If anything in it has changed since, nothing is done: 412. Of several clients that change the same at once, one succeeds. */
                "if-match"?: string;
            };
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Name of the run. */
                run: string;
                /** @description Training step of the checkpoint. */
                step: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It was committed before. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Checkpoint"];
                };
            };
            /** @description Durable and waiting for compression; Location names its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Checkpoint"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of the resource does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/conflict",
                     *       "title": "The state of the resource does not allow this",
                     *       "status": 409,
                     *       "code": "conflict",
                     *       "detail": "The repository exists already.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/precondition-failed",
                     *       "title": "A precondition failed",
                     *       "status": 412,
                     *       "code": "precondition-failed",
                     *       "detail": "The file has another ETag than If-Match asks for.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is not acceptable. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/header-truncated",
                     *       "title": "The safetensors header is cut short",
                     *       "status": 422,
                     *       "code": "header-truncated",
                     *       "detail": "The file ends inside its safetensors header.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much is waiting; try again after Retry-After seconds. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unavailable",
                     *       "title": "The storage cannot be reached",
                     *       "status": 503,
                     *       "code": "unavailable",
                     *       "detail": "The storage takes too long to answer.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listTrials: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Name of the run. */
                run: string;
                /** @description Training step of the checkpoint, or `latest`: the newest one of the run that is ready. */
                step: number | string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every trial, in order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrialList"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelCheckpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeated within 24 hours with the same path and body, a request that succeeded is not done again but answered as the first time, with `Idempotent-Replayed: true`; with another path or body, or while the first still runs, it is refused with 409. A key belongs to the token it is sent with. */
                "idempotency-key"?: string;
                /** @description The ETag of the answer that the change is made from. If anything in it has changed since, nothing is done: 412. Of several clients that change the same at once, one succeeds. */
                "if-match"?: string;
            };
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Name of the run. */
                run: string;
                /** @description Training step of the checkpoint. */
                step: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Cancelled. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Checkpoint"];
                };
            };
            /** @description Being stopped; its state becomes `cancelled`. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Checkpoint"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of the resource does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/conflict",
                     *       "title": "The state of the resource does not allow this",
                     *       "status": 409,
                     *       "code": "conflict",
                     *       "detail": "The repository exists already.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/precondition-failed",
                     *       "title": "A precondition failed",
                     *       "status": 412,
                     *       "code": "precondition-failed",
                     *       "detail": "The file has another ETag than If-Match asks for.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    retryCheckpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeated within 24 hours with the same path and body, a request that succeeded is not done again but answered as the first time, with `Idempotent-Replayed: true`; with another path or body, or while the first still runs, it is refused with 409. A key belongs to the token it is sent with. */
                "idempotency-key"?: string;
                /** @description The ETag of the answer that the change is made from. If anything in it has changed since, nothing is done: 412. Of several clients that change the same at once, one succeeds. */
                "if-match"?: string;
            };
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Name of the run. */
                run: string;
                /** @description Training step of the checkpoint. */
                step: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RetryInput"];
            };
        };
        responses: {
            /** @description Waiting for compression; Location names its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Checkpoint"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrives too slowly; what a resumable upload has acknowledged stays. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/body-too-slow",
                     *       "title": "The body arrives too slowly",
                     *       "status": 408,
                     *       "code": "body-too-slow",
                     *       "detail": "The body arrives too slowly.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of the resource does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/conflict",
                     *       "title": "The state of the resource does not allow this",
                     *       "status": 409,
                     *       "code": "conflict",
                     *       "detail": "The repository exists already.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/precondition-failed",
                     *       "title": "A precondition failed",
                     *       "status": 412,
                     *       "code": "precondition-failed",
                     *       "detail": "The file has another ETag than If-Match asks for.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/payload-too-large",
                     *       "title": "The body is too large",
                     *       "status": 413,
                     *       "code": "payload-too-large",
                     *       "detail": "The body is larger than 1 MiB.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unsupported-media-type",
                     *       "title": "The media type is not supported",
                     *       "status": 415,
                     *       "code": "unsupported-media-type",
                     *       "detail": "The body must be application/json.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is not acceptable. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/header-truncated",
                     *       "title": "The safetensors header is cut short",
                     *       "status": 422,
                     *       "code": "header-truncated",
                     *       "detail": "The file ends inside its safetensors header.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much is waiting; try again after Retry-After seconds. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unavailable",
                     *       "title": "The storage cannot be reached",
                     *       "status": 503,
                     *       "code": "unavailable",
                     *       "detail": "The storage takes too long to answer.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getEstimate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Name of the run. */
                run: string;
                /** @description Training step of the checkpoint, or `latest`: the newest one of the run that is ready. */
                step: number | string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The estimate. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Estimate"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    estimateCheckpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeated within 24 hours with the same path and body, a request that succeeded is not done again but answered as the first time, with `Idempotent-Replayed: true`; with another path or body, or while the first still runs, it is refused with 409. A key belongs to the token it is sent with. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Name of the run. */
                run: string;
                /** @description Training step of the checkpoint. */
                step: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EstimateInput"];
            };
        };
        responses: {
            /** @description Queued; Location names it. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Estimate"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrives too slowly; what a resumable upload has acknowledged stays. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/body-too-slow",
                     *       "title": "The body arrives too slowly",
                     *       "status": 408,
                     *       "code": "body-too-slow",
                     *       "detail": "The body arrives too slowly.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of the resource does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/conflict",
                     *       "title": "The state of the resource does not allow this",
                     *       "status": 409,
                     *       "code": "conflict",
                     *       "detail": "The repository exists already.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/payload-too-large",
                     *       "title": "The body is too large",
                     *       "status": 413,
                     *       "code": "payload-too-large",
                     *       "detail": "The body is larger than 1 MiB.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unsupported-media-type",
                     *       "title": "The media type is not supported",
                     *       "status": 415,
                     *       "code": "unsupported-media-type",
                     *       "detail": "The body must be application/json.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is not acceptable. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/header-truncated",
                     *       "title": "The safetensors header is cut short",
                     *       "status": 422,
                     *       "code": "header-truncated",
                     *       "detail": "The file ends inside its safetensors header.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much is waiting; try again after Retry-After seconds. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unavailable",
                     *       "title": "The storage cannot be reached",
                     *       "status": 503,
                     *       "code": "unavailable",
                     *       "detail": "The storage takes too long to answer.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelEstimate: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeated within 24 hours with the same path and body, a request that succeeded is not done again but answered as the first time, with `Idempotent-Replayed: true`; with another path or body, or while the first still runs, it is refused with 409. A key belongs to the token it is sent with. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Name of the run. */
                run: string;
                /** @description Training step of the checkpoint. */
                step: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The estimate. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Estimate"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of the resource does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/conflict",
                     *       "title": "The state of the resource does not allow this",
                     *       "status": 409,
                     *       "code": "conflict",
                     *       "detail": "The repository exists already.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    followCheckpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the last event that the client has seen; trials up to it are not sent again. */
                "last-event-id"?: string;
            };
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Name of the run. */
                run: string;
                /** @description Training step of the checkpoint, or `latest`: the newest one of the run that is ready. */
                step: number | string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example event: state
                     *     data: {"run":"train","step":1200,"state":"working"}
                     *
                     *     event: phase
                     *     data: {"phase":"search"}
                     *
                     *     id: 1
                     *     event: trial
                     *     data: {"number":1,"passed":true}
                     *
                     *     id: 1
                     *     event: state
                     *     data: {"run":"train","step":1200,"state":"ready"}
                     */
                    "text/event-stream": string;
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much is waiting; try again after Retry-After seconds. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unavailable",
                     *       "title": "The storage cannot be reached",
                     *       "status": 503,
                     *       "code": "unavailable",
                     *       "detail": "The storage takes too long to answer.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getFile: {
        parameters: {
            query?: {
                /** @description `uploaded`: the bytes as they were uploaded, while they are kept. */
                as?: "uploaded";
                /** @description Convert the floating-point tensors of the rebuilt file. */
                dtype?: "f32" | "f16" | "bf16";
            };
            header?: {
                /** @description One byte range. Several give the whole file. */
                range?: string;
                /** @description The range holds only for this ETag. */
                "if-range"?: string;
                /** @description ETags; answered only if that of the bytes is one of these, else 412. */
                "if-match"?: string;
                /** @description ETags that the client has; if that of the bytes is one of them, the answer is 304. */
                "if-none-match"?: string;
            };
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Name of the run. */
                run: string;
                /** @description Training step of the checkpoint, or `latest`: the newest one of the run that is ready. */
                step: number | string;
                /** @description Path of the file inside the checkpoint. Slashes may be sent as they are or as %2F. */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole file. */
            200: {
                headers: {
                    /** @description Strong; made from the sha256 of the bytes. */
                    ETag: string;
                    /** @description `bytes`. */
                    "Accept-Ranges": string;
                    /** @description sha-256 of the whole file (RFC 9530); absent for a dtype view. */
                    "Repr-Digest"?: string;
                    /** @description With 206. */
                    "Content-Range"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /** @example (the bytes, or those of the range) */
                    "application/octet-stream": string;
                };
            };
            /** @description One range of it. */
            206: {
                headers: {
                    /** @description Strong; made from the sha256 of the bytes. */
                    ETag: string;
                    /** @description `bytes`. */
                    "Accept-Ranges": string;
                    /** @description sha-256 of the whole file (RFC 9530); absent for a dtype view. */
                    "Repr-Digest"?: string;
                    /** @description With 206. */
                    "Content-Range"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /** @example (the bytes, or those of the range) */
                    "application/octet-stream": string;
                };
            };
            /** @description The file has the ETag of If-None-Match. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of the resource does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/conflict",
                     *       "title": "The state of the resource does not allow this",
                     *       "status": 409,
                     *       "code": "conflict",
                     *       "detail": "The repository exists already.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/precondition-failed",
                     *       "title": "A precondition failed",
                     *       "status": 412,
                     *       "code": "precondition-failed",
                     *       "detail": "The file has another ETag than If-Match asks for.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The range lies outside the file. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/range-not-satisfiable",
                     *       "title": "The range lies outside the file",
                     *       "status": 416,
                     *       "code": "range-not-satisfiable",
                     *       "detail": "The byte range lies outside the file.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/corrupt-object",
                     *       "title": "Stored bytes are damaged",
                     *       "status": 500,
                     *       "code": "corrupt-object",
                     *       "detail": "A stored object is damaged, and kept from being read.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putFile: {
        parameters: {
            query?: {
                /** @description By default as announced, else taken from the name. */
                role?: "model" | "sensitivity" | "optimizer" | "other";
                /** @description Commit the checkpoint once the file has arrived, for the last file. If the commit is refused, that is the answer, and the file is kept. */
                commit?: "true";
            };
            header?: {
                /** @description RFC 9530; a sha-256 and a sha-512 are checked against the body, other algorithms are not. Keys are lower-case. */
                "repr-digest"?: string;
                /** @description As Repr-Digest. */
                "content-digest"?: string;
            };
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Name of the run. */
                run: string;
                /** @description Training step of the checkpoint. */
                step: number;
                /** @description Path of the file inside the checkpoint. Slashes may be sent as they are or as %2F. */
                path: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example (the bytes of the file) */
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description These very bytes were there already. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FileReceipt"];
                };
            };
            /** @description Received, and the checkpoint committed if that was asked. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FileReceipt"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrives too slowly; what a resumable upload has acknowledged stays. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/body-too-slow",
                     *       "title": "The body arrives too slowly",
                     *       "status": 408,
                     *       "code": "body-too-slow",
                     *       "detail": "The body arrives too slowly.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of the resource does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/conflict",
                     *       "title": "The state of the resource does not allow this",
                     *       "status": 409,
                     *       "code": "conflict",
                     *       "detail": "The repository exists already.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A Content-Length is needed. */
            411: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/length-required",
                     *       "title": "A Content-Length is needed",
                     *       "status": 411,
                     *       "code": "length-required",
                     *       "detail": "The upload needs a Content-Length.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/payload-too-large",
                     *       "title": "The body is too large",
                     *       "status": 413,
                     *       "code": "payload-too-large",
                     *       "detail": "The body is larger than 1 MiB.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unsupported-media-type",
                     *       "title": "The media type is not supported",
                     *       "status": 415,
                     *       "code": "unsupported-media-type",
                     *       "detail": "The body must be application/json.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is not acceptable. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/header-truncated",
                     *       "title": "The safetensors header is cut short",
                     *       "status": 422,
                     *       "code": "header-truncated",
                     *       "detail": "The file ends inside its safetensors header.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much is waiting; try again after Retry-After seconds. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unavailable",
                     *       "title": "The storage cannot be reached",
                     *       "status": 503,
                     *       "code": "unavailable",
                     *       "detail": "The storage takes too long to answer.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The storage is full; try again after Retry-After seconds. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/storage-full",
                     *       "title": "The storage is full",
                     *       "status": 507,
                     *       "code": "storage-full",
                     *       "detail": "The storage takes no file as large as this.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    headFile: {
        parameters: {
            query?: {
                /** @description `uploaded`: the bytes as they were uploaded, while they are kept. */
                as?: "uploaded";
                /** @description Convert the floating-point tensors of the rebuilt file. */
                dtype?: "f32" | "f16" | "bf16";
            };
            header?: {
                /** @description One byte range. Several give the whole file. */
                range?: string;
                /** @description The range holds only for this ETag. */
                "if-range"?: string;
                /** @description ETags; answered only if that of the bytes is one of these, else 412. */
                "if-match"?: string;
                /** @description ETags that the client has; if that of the bytes is one of them, the answer is 304. */
                "if-none-match"?: string;
            };
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Name of the run. */
                run: string;
                /** @description Training step of the checkpoint, or `latest`: the newest one of the run that is ready. */
                step: number | string;
                /** @description Path of the file inside the checkpoint. Slashes may be sent as they are or as %2F. */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As GET, without the bytes. */
            200: {
                headers: {
                    /** @description Strong; made from the sha256 of the bytes. */
                    ETag: string;
                    /** @description `bytes`. */
                    "Accept-Ranges": string;
                    /** @description sha-256 of the whole file (RFC 9530); absent for a dtype view. */
                    "Repr-Digest"?: string;
                    /** @description With 206. */
                    "Content-Range"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The file has the ETag of If-None-Match. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of the resource does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/conflict",
                     *       "title": "The state of the resource does not allow this",
                     *       "status": 409,
                     *       "code": "conflict",
                     *       "detail": "The repository exists already.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/precondition-failed",
                     *       "title": "A precondition failed",
                     *       "status": 412,
                     *       "code": "precondition-failed",
                     *       "detail": "The file has another ETag than If-Match asks for.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The range lies outside the file. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/range-not-satisfiable",
                     *       "title": "The range lies outside the file",
                     *       "status": 416,
                     *       "code": "range-not-satisfiable",
                     *       "detail": "The byte range lies outside the file.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/corrupt-object",
                     *       "title": "Stored bytes are damaged",
                     *       "status": 500,
                     *       "code": "corrupt-object",
                     *       "detail": "A stored object is damaged, and kept from being read.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createFileUpload: {
        parameters: {
            query?: {
                /** @description tus: path of the file; else `path` or `filename` of Upload-Metadata. */
                path?: string;
                /** @description tus: by default as announced, else taken from the name. */
                role?: "model" | "sensitivity" | "optimizer" | "other";
                /** @description tus: of the whole; checked with its last byte. */
                sha256?: string;
            };
            header?: {
                /** @description With it the upload is one of tus 1.0; without it the body says how many parts it has. */
                "tus-resumable"?: string;
                /** @description tus: bytes of the whole. It cannot be deferred. */
                "upload-length"?: string;
                /** @description tus: keys, each followed by a space and base64; `path` or `filename`, `role`, `sha256`, `part` are looked at. */
                "upload-metadata"?: string;
                /** @description Of the bytes of this request: `sha1` or `sha256`, a space, and base64. They are then kept all or not at all. */
                "upload-checksum"?: string;
                /** @description Repeated within 24 hours with the same path and body, a request that succeeded is not done again but answered as the first time, with `Idempotent-Replayed: true`; with another path or body, or while the first still runs, it is refused with 409. A key belongs to the token it is sent with. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Name of the run. */
                run: string;
                /** @description Training step of the checkpoint. */
                step: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["FileUploadInput"];
                /** @example (the next bytes of the file) */
                "application/offset+octet-stream": string;
            };
        };
        responses: {
            /** @description Open; Location names it. Room for all of it is taken. */
            201: {
                headers: {
                    /** @description What has arrived, from the beginning on; absent where the upload comes in parts. */
                    "Upload-Offset"?: string;
                    /** @description Bytes of the whole. */
                    "Upload-Length"?: string;
                    /** @description When the upload is given up unless more bytes come. */
                    "Upload-Expires"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrives too slowly; what a resumable upload has acknowledged stays. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/body-too-slow",
                     *       "title": "The body arrives too slowly",
                     *       "status": 408,
                     *       "code": "body-too-slow",
                     *       "detail": "The body arrives too slowly.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of the resource does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/conflict",
                     *       "title": "The state of the resource does not allow this",
                     *       "status": 409,
                     *       "code": "conflict",
                     *       "detail": "The repository exists already.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/precondition-failed",
                     *       "title": "A precondition failed",
                     *       "status": 412,
                     *       "code": "precondition-failed",
                     *       "detail": "The file has another ETag than If-Match asks for.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/payload-too-large",
                     *       "title": "The body is too large",
                     *       "status": 413,
                     *       "code": "payload-too-large",
                     *       "detail": "The body is larger than 1 MiB.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unsupported-media-type",
                     *       "title": "The media type is not supported",
                     *       "status": 415,
                     *       "code": "unsupported-media-type",
                     *       "detail": "The body must be application/json.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is not acceptable. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/header-truncated",
                     *       "title": "The safetensors header is cut short",
                     *       "status": 422,
                     *       "code": "header-truncated",
                     *       "detail": "The file ends inside its safetensors header.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The bytes have another checksum than announced. */
            460: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/checksum-mismatch",
                     *       "title": "The bytes have another checksum than announced",
                     *       "status": 460,
                     *       "code": "checksum-mismatch",
                     *       "detail": "The bytes have another sha1 than announced.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much is waiting; try again after Retry-After seconds. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unavailable",
                     *       "title": "The storage cannot be reached",
                     *       "status": 503,
                     *       "code": "unavailable",
                     *       "detail": "The storage takes too long to answer.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The storage is full; try again after Retry-After seconds. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/storage-full",
                     *       "title": "The storage is full",
                     *       "status": 507,
                     *       "code": "storage-full",
                     *       "detail": "The storage takes no file as large as this.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createEvalSetUpload: {
        parameters: {
            query?: {
                /** @description tus: what the upload is; else `part` of Upload-Metadata. */
                part?: "graph" | "batches";
                /** @description tus: of the whole; checked with its last byte. */
                sha256?: string;
            };
            header?: {
                /** @description With it the upload is one of tus 1.0; without it the body says how many parts it has. */
                "tus-resumable"?: string;
                /** @description tus: bytes of the whole. It cannot be deferred. */
                "upload-length"?: string;
                /** @description tus: keys, each followed by a space and base64; `path` or `filename`, `role`, `sha256`, `part` are looked at. */
                "upload-metadata"?: string;
                /** @description Of the bytes of this request: `sha1` or `sha256`, a space, and base64. They are then kept all or not at all. */
                "upload-checksum"?: string;
                /** @description Repeated within 24 hours with the same path and body, a request that succeeded is not done again but answered as the first time, with `Idempotent-Replayed: true`; with another path or body, or while the first still runs, it is refused with 409. A key belongs to the token it is sent with. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Name of the eval set. */
                evalSet: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EvalSetUploadInput"];
                /** @example (the next bytes of the file) */
                "application/offset+octet-stream": string;
            };
        };
        responses: {
            /** @description Open; Location names it. Room for all of it is taken. */
            201: {
                headers: {
                    /** @description What has arrived, from the beginning on; absent where the upload comes in parts. */
                    "Upload-Offset"?: string;
                    /** @description Bytes of the whole. */
                    "Upload-Length"?: string;
                    /** @description When the upload is given up unless more bytes come. */
                    "Upload-Expires"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrives too slowly; what a resumable upload has acknowledged stays. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/body-too-slow",
                     *       "title": "The body arrives too slowly",
                     *       "status": 408,
                     *       "code": "body-too-slow",
                     *       "detail": "The body arrives too slowly.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of the resource does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/conflict",
                     *       "title": "The state of the resource does not allow this",
                     *       "status": 409,
                     *       "code": "conflict",
                     *       "detail": "The repository exists already.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/precondition-failed",
                     *       "title": "A precondition failed",
                     *       "status": 412,
                     *       "code": "precondition-failed",
                     *       "detail": "The file has another ETag than If-Match asks for.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/payload-too-large",
                     *       "title": "The body is too large",
                     *       "status": 413,
                     *       "code": "payload-too-large",
                     *       "detail": "The body is larger than 1 MiB.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unsupported-media-type",
                     *       "title": "The media type is not supported",
                     *       "status": 415,
                     *       "code": "unsupported-media-type",
                     *       "detail": "The body must be application/json.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is not acceptable. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/header-truncated",
                     *       "title": "The safetensors header is cut short",
                     *       "status": 422,
                     *       "code": "header-truncated",
                     *       "detail": "The file ends inside its safetensors header.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The bytes have another checksum than announced. */
            460: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/checksum-mismatch",
                     *       "title": "The bytes have another checksum than announced",
                     *       "status": 460,
                     *       "code": "checksum-mismatch",
                     *       "detail": "The bytes have another sha1 than announced.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much is waiting; try again after Retry-After seconds. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unavailable",
                     *       "title": "The storage cannot be reached",
                     *       "status": 503,
                     *       "code": "unavailable",
                     *       "detail": "The storage takes too long to answer.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The storage is full; try again after Retry-After seconds. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/storage-full",
                     *       "title": "The storage is full",
                     *       "status": 507,
                     *       "code": "storage-full",
                     *       "detail": "The storage takes no file as large as this.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Id of the upload. */
                uploadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The upload. */
            200: {
                headers: {
                    /** @description What has arrived, from the beginning on; absent where the upload comes in parts. */
                    "Upload-Offset"?: string;
                    /** @description Bytes of the whole. */
                    "Upload-Length"?: string;
                    /** @description When the upload is given up unless more bytes come. */
                    "Upload-Expires"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/precondition-failed",
                     *       "title": "A precondition failed",
                     *       "status": 412,
                     *       "code": "precondition-failed",
                     *       "detail": "The file has another ETag than If-Match asks for.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Id of the upload. */
                uploadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/precondition-failed",
                     *       "title": "A precondition failed",
                     *       "status": 412,
                     *       "code": "precondition-failed",
                     *       "detail": "The file has another ETag than If-Match asks for.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    headUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Id of the upload. */
                uploadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As GET, without the bytes. */
            200: {
                headers: {
                    /** @description What has arrived, from the beginning on; absent where the upload comes in parts. */
                    "Upload-Offset"?: string;
                    /** @description Bytes of the whole. */
                    "Upload-Length"?: string;
                    /** @description When the upload is given up unless more bytes come. */
                    "Upload-Expires"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/precondition-failed",
                     *       "title": "A precondition failed",
                     *       "status": 412,
                     *       "code": "precondition-failed",
                     *       "detail": "The file has another ETag than If-Match asks for.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    patchUpload: {
        parameters: {
            query?: never;
            header?: {
                /** @description Version of tus, 1.0.0. */
                "tus-resumable"?: string;
                /** @description Where the bytes go: at the end of what has arrived. */
                "upload-offset"?: string;
                /** @description Of the bytes of this request: `sha1` or `sha256`, a space, and base64. They are then kept all or not at all. */
                "upload-checksum"?: string;
            };
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Id of the upload. */
                uploadId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example (the next bytes of the file) */
                "application/offset+octet-stream": string;
            };
        };
        responses: {
            /** @description Durable; with the last byte, what the upload is for has it. */
            204: {
                headers: {
                    /** @description What has arrived, from the beginning on; absent where the upload comes in parts. */
                    "Upload-Offset"?: string;
                    /** @description Bytes of the whole. */
                    "Upload-Length"?: string;
                    /** @description When the upload is given up unless more bytes come. */
                    "Upload-Expires"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrives too slowly; what a resumable upload has acknowledged stays. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/body-too-slow",
                     *       "title": "The body arrives too slowly",
                     *       "status": 408,
                     *       "code": "body-too-slow",
                     *       "detail": "The body arrives too slowly.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of the resource does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/conflict",
                     *       "title": "The state of the resource does not allow this",
                     *       "status": 409,
                     *       "code": "conflict",
                     *       "detail": "The repository exists already.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/precondition-failed",
                     *       "title": "A precondition failed",
                     *       "status": 412,
                     *       "code": "precondition-failed",
                     *       "detail": "The file has another ETag than If-Match asks for.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/payload-too-large",
                     *       "title": "The body is too large",
                     *       "status": 413,
                     *       "code": "payload-too-large",
                     *       "detail": "The body is larger than 1 MiB.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unsupported-media-type",
                     *       "title": "The media type is not supported",
                     *       "status": 415,
                     *       "code": "unsupported-media-type",
                     *       "detail": "The body must be application/json.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is not acceptable. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/header-truncated",
                     *       "title": "The safetensors header is cut short",
                     *       "status": 422,
                     *       "code": "header-truncated",
                     *       "detail": "The file ends inside its safetensors header.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Another request has the upload. */
            423: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/upload-busy",
                     *       "title": "Another request has the upload",
                     *       "status": 423,
                     *       "code": "upload-busy",
                     *       "detail": "Another request writes this upload.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The bytes have another checksum than announced. */
            460: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/checksum-mismatch",
                     *       "title": "The bytes have another checksum than announced",
                     *       "status": 460,
                     *       "code": "checksum-mismatch",
                     *       "detail": "The bytes have another sha1 than announced.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much is waiting; try again after Retry-After seconds. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unavailable",
                     *       "title": "The storage cannot be reached",
                     *       "status": 503,
                     *       "code": "unavailable",
                     *       "detail": "The storage takes too long to answer.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The storage is full; try again after Retry-After seconds. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/storage-full",
                     *       "title": "The storage is full",
                     *       "status": 507,
                     *       "code": "storage-full",
                     *       "detail": "The storage takes no file as large as this.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putUploadPart: {
        parameters: {
            query?: never;
            header?: {
                /** @description RFC 9530; a sha-256 and a sha-512 are checked against the body, other algorithms are not. Keys are lower-case. */
                "repr-digest"?: string;
                /** @description As Repr-Digest. */
                "content-digest"?: string;
            };
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Id of the upload. */
                uploadId: string;
                /** @description Number of the part, from 1. */
                number: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example (the bytes of the file) */
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description Durable. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UploadPart"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrives too slowly; what a resumable upload has acknowledged stays. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/body-too-slow",
                     *       "title": "The body arrives too slowly",
                     *       "status": 408,
                     *       "code": "body-too-slow",
                     *       "detail": "The body arrives too slowly.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of the resource does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/conflict",
                     *       "title": "The state of the resource does not allow this",
                     *       "status": 409,
                     *       "code": "conflict",
                     *       "detail": "The repository exists already.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/payload-too-large",
                     *       "title": "The body is too large",
                     *       "status": 413,
                     *       "code": "payload-too-large",
                     *       "detail": "The body is larger than 1 MiB.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unsupported-media-type",
                     *       "title": "The media type is not supported",
                     *       "status": 415,
                     *       "code": "unsupported-media-type",
                     *       "detail": "The body must be application/json.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Another request has the upload. */
            423: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/upload-busy",
                     *       "title": "Another request has the upload",
                     *       "status": 423,
                     *       "code": "upload-busy",
                     *       "detail": "Another request writes this upload.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much is waiting; try again after Retry-After seconds. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unavailable",
                     *       "title": "The storage cannot be reached",
                     *       "status": 503,
                     *       "code": "unavailable",
                     *       "detail": "The storage takes too long to answer.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The storage is full; try again after Retry-After seconds. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/storage-full",
                     *       "title": "The storage is full",
                     *       "status": 507,
                     *       "code": "storage-full",
                     *       "detail": "The storage takes no file as large as this.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listUploadParts: {
        parameters: {
            query?: {
                /** @description Most entries to return; 100 by default. */
                limit?: number;
                /** @description `next` of the page before. */
                after?: string;
            };
            header?: never;
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Id of the upload. */
                uploadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page, by number. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UploadPartList"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of the resource does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/conflict",
                     *       "title": "The state of the resource does not allow this",
                     *       "status": 409,
                     *       "code": "conflict",
                     *       "detail": "The repository exists already.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    completeUpload: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeated within 24 hours with the same path and body, a request that succeeded is not done again but answered as the first time, with `Idempotent-Replayed: true`; with another path or body, or while the first still runs, it is refused with 409. A key belongs to the token it is sent with. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Id of the upload. */
                uploadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the upload is for has it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of the resource does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/conflict",
                     *       "title": "The state of the resource does not allow this",
                     *       "status": 409,
                     *       "code": "conflict",
                     *       "detail": "The repository exists already.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/payload-too-large",
                     *       "title": "The body is too large",
                     *       "status": 413,
                     *       "code": "payload-too-large",
                     *       "detail": "The body is larger than 1 MiB.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is not acceptable. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/header-truncated",
                     *       "title": "The safetensors header is cut short",
                     *       "status": 422,
                     *       "code": "header-truncated",
                     *       "detail": "The file ends inside its safetensors header.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Another request has the upload. */
            423: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/upload-busy",
                     *       "title": "Another request has the upload",
                     *       "status": 423,
                     *       "code": "upload-busy",
                     *       "detail": "Another request writes this upload.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much is waiting; try again after Retry-After seconds. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unavailable",
                     *       "title": "The storage cannot be reached",
                     *       "status": 503,
                     *       "code": "unavailable",
                     *       "detail": "The storage takes too long to answer.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The storage is full; try again after Retry-After seconds. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/storage-full",
                     *       "title": "The storage is full",
                     *       "status": 507,
                     *       "code": "storage-full",
                     *       "detail": "The storage takes no file as large as this.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getTensor: {
        parameters: {
            query?: {
                /** @description Convert a floating-point tensor; others come as they are. */
                dtype?: "f32" | "f16" | "bf16";
            };
            header?: {
                /** @description One byte range. Several give the whole file. */
                range?: string;
                /** @description The range holds only for this ETag. */
                "if-range"?: string;
                /** @description ETags; answered only if that of the bytes is one of these, else 412. */
                "if-match"?: string;
                /** @description ETags that the client has; if that of the bytes is one of them, the answer is 304. */
                "if-none-match"?: string;
            };
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Name of the run. */
                run: string;
                /** @description Training step of the checkpoint, or `latest`: the newest one of the run that is ready. */
                step: number | string;
                /** @description Name of the tensor. */
                tensor: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All elements. */
            200: {
                headers: {
                    /** @description Strong; made from the sha256 of the bytes. */
                    ETag: string;
                    /** @description `bytes`. */
                    "Accept-Ranges": string;
                    /** @description With 206. */
                    "Content-Range"?: string;
                    /** @description Element type, as safetensors names it. */
                    "Firn-Dtype": string;
                    /** @description Dimensions with commas between; empty for a scalar. */
                    "Firn-Shape": string;
                    [name: string]: unknown;
                };
                content: {
                    /** @example (the bytes, or those of the range) */
                    "application/octet-stream": string;
                };
            };
            /** @description One range of their bytes. */
            206: {
                headers: {
                    /** @description Strong; made from the sha256 of the bytes. */
                    ETag: string;
                    /** @description `bytes`. */
                    "Accept-Ranges": string;
                    /** @description With 206. */
                    "Content-Range"?: string;
                    /** @description Element type, as safetensors names it. */
                    "Firn-Dtype": string;
                    /** @description Dimensions with commas between; empty for a scalar. */
                    "Firn-Shape": string;
                    [name: string]: unknown;
                };
                content: {
                    /** @example (the bytes, or those of the range) */
                    "application/octet-stream": string;
                };
            };
            /** @description The tensor has the ETag of If-None-Match. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of the resource does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/conflict",
                     *       "title": "The state of the resource does not allow this",
                     *       "status": 409,
                     *       "code": "conflict",
                     *       "detail": "The repository exists already.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/precondition-failed",
                     *       "title": "A precondition failed",
                     *       "status": 412,
                     *       "code": "precondition-failed",
                     *       "detail": "The file has another ETag than If-Match asks for.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The range lies outside the file. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/range-not-satisfiable",
                     *       "title": "The range lies outside the file",
                     *       "status": 416,
                     *       "code": "range-not-satisfiable",
                     *       "detail": "The byte range lies outside the file.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/corrupt-object",
                     *       "title": "Stored bytes are damaged",
                     *       "status": 500,
                     *       "code": "corrupt-object",
                     *       "detail": "A stored object is damaged, and kept from being read.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    headTensor: {
        parameters: {
            query?: {
                /** @description Convert a floating-point tensor; others come as they are. */
                dtype?: "f32" | "f16" | "bf16";
            };
            header?: {
                /** @description One byte range. Several give the whole file. */
                range?: string;
                /** @description The range holds only for this ETag. */
                "if-range"?: string;
                /** @description ETags; answered only if that of the bytes is one of these, else 412. */
                "if-match"?: string;
                /** @description ETags that the client has; if that of the bytes is one of them, the answer is 304. */
                "if-none-match"?: string;
            };
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Name of the run. */
                run: string;
                /** @description Training step of the checkpoint, or `latest`: the newest one of the run that is ready. */
                step: number | string;
                /** @description Name of the tensor. */
                tensor: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As GET, without the bytes. */
            200: {
                headers: {
                    /** @description Strong; made from the sha256 of the bytes. */
                    ETag: string;
                    /** @description `bytes`. */
                    "Accept-Ranges": string;
                    /** @description With 206. */
                    "Content-Range"?: string;
                    /** @description Element type, as safetensors names it. */
                    "Firn-Dtype": string;
                    /** @description Dimensions with commas between; empty for a scalar. */
                    "Firn-Shape": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The tensor has the ETag of If-None-Match. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of the resource does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/conflict",
                     *       "title": "The state of the resource does not allow this",
                     *       "status": 409,
                     *       "code": "conflict",
                     *       "detail": "The repository exists already.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/precondition-failed",
                     *       "title": "A precondition failed",
                     *       "status": 412,
                     *       "code": "precondition-failed",
                     *       "detail": "The file has another ETag than If-Match asks for.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The range lies outside the file. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/range-not-satisfiable",
                     *       "title": "The range lies outside the file",
                     *       "status": 416,
                     *       "code": "range-not-satisfiable",
                     *       "detail": "The byte range lies outside the file.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/corrupt-object",
                     *       "title": "Stored bytes are damaged",
                     *       "status": 500,
                     *       "code": "corrupt-object",
                     *       "detail": "A stored object is damaged, and kept from being read.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getCheckpointPackage: {
        parameters: {
            query?: never;
            header?: {
                /** @description One byte range. Several give the whole file. */
                range?: string;
                /** @description The range holds only for this ETag. */
                "if-range"?: string;
                /** @description ETags; answered only if that of the bytes is one of these, else 412. */
                "if-match"?: string;
                /** @description ETags that the client has; if that of the bytes is one of them, the answer is 304. */
                "if-none-match"?: string;
            };
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Name of the run. */
                run: string;
                /** @description Training step of the checkpoint, or `latest`: the newest one of the run that is ready. */
                step: number | string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The package, as docs/format.md describes it. */
            200: {
                headers: {
                    /** @description Strong; made from the sha256 of the bytes. */
                    ETag: string;
                    /** @description `bytes`. */
                    "Accept-Ranges": string;
                    /** @description With 206. */
                    "Content-Range"?: string;
                    /** @description 32 hex digits, as in the package itself; of the checkpoint, where the package holds several. */
                    "Firn-Package-Id": string;
                    /** @description Id of the package itself, where it holds several checkpoints. */
                    "Firn-Merged-Package"?: string;
                    /** @description The same as Firn-Merged-Package, under its earlier name. */
                    "Firn-Super-Step"?: string;
                    /** @description Id of the package that a delta needs besides. */
                    "Firn-Ancestor-Package"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /** @example (the bytes, or those of the range) */
                    "application/octet-stream": string;
                };
            };
            /** @description One range of it. */
            206: {
                headers: {
                    /** @description Strong; made from the sha256 of the bytes. */
                    ETag: string;
                    /** @description `bytes`. */
                    "Accept-Ranges": string;
                    /** @description With 206. */
                    "Content-Range"?: string;
                    /** @description 32 hex digits, as in the package itself; of the checkpoint, where the package holds several. */
                    "Firn-Package-Id": string;
                    /** @description Id of the package itself, where it holds several checkpoints. */
                    "Firn-Merged-Package"?: string;
                    /** @description The same as Firn-Merged-Package, under its earlier name. */
                    "Firn-Super-Step"?: string;
                    /** @description Id of the package that a delta needs besides. */
                    "Firn-Ancestor-Package"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /** @example (the bytes, or those of the range) */
                    "application/octet-stream": string;
                };
            };
            /** @description The package has the ETag of If-None-Match. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of the resource does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/conflict",
                     *       "title": "The state of the resource does not allow this",
                     *       "status": 409,
                     *       "code": "conflict",
                     *       "detail": "The repository exists already.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/precondition-failed",
                     *       "title": "A precondition failed",
                     *       "status": 412,
                     *       "code": "precondition-failed",
                     *       "detail": "The file has another ETag than If-Match asks for.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The range lies outside the file. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/range-not-satisfiable",
                     *       "title": "The range lies outside the file",
                     *       "status": 416,
                     *       "code": "range-not-satisfiable",
                     *       "detail": "The byte range lies outside the file.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/corrupt-object",
                     *       "title": "Stored bytes are damaged",
                     *       "status": 500,
                     *       "code": "corrupt-object",
                     *       "detail": "A stored object is damaged, and kept from being read.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    headCheckpointPackage: {
        parameters: {
            query?: never;
            header?: {
                /** @description One byte range. Several give the whole file. */
                range?: string;
                /** @description The range holds only for this ETag. */
                "if-range"?: string;
                /** @description ETags; answered only if that of the bytes is one of these, else 412. */
                "if-match"?: string;
                /** @description ETags that the client has; if that of the bytes is one of them, the answer is 304. */
                "if-none-match"?: string;
            };
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Name of the run. */
                run: string;
                /** @description Training step of the checkpoint, or `latest`: the newest one of the run that is ready. */
                step: number | string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As GET, without the bytes. */
            200: {
                headers: {
                    /** @description Strong; made from the sha256 of the bytes. */
                    ETag: string;
                    /** @description `bytes`. */
                    "Accept-Ranges": string;
                    /** @description With 206. */
                    "Content-Range"?: string;
                    /** @description 32 hex digits, as in the package itself; of the checkpoint, where the package holds several. */
                    "Firn-Package-Id": string;
                    /** @description Id of the package itself, where it holds several checkpoints. */
                    "Firn-Merged-Package"?: string;
                    /** @description The same as Firn-Merged-Package, under its earlier name. */
                    "Firn-Super-Step"?: string;
                    /** @description Id of the package that a delta needs besides. */
                    "Firn-Ancestor-Package"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The package has the ETag of If-None-Match. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of the resource does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/conflict",
                     *       "title": "The state of the resource does not allow this",
                     *       "status": 409,
                     *       "code": "conflict",
                     *       "detail": "The repository exists already.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/precondition-failed",
                     *       "title": "A precondition failed",
                     *       "status": 412,
                     *       "code": "precondition-failed",
                     *       "detail": "The file has another ETag than If-Match asks for.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The range lies outside the file. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/range-not-satisfiable",
                     *       "title": "The range lies outside the file",
                     *       "status": 416,
                     *       "code": "range-not-satisfiable",
                     *       "detail": "The byte range lies outside the file.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/corrupt-object",
                     *       "title": "Stored bytes are damaged",
                     *       "status": 500,
                     *       "code": "corrupt-object",
                     *       "detail": "A stored object is damaged, and kept from being read.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getPackage: {
        parameters: {
            query?: never;
            header?: {
                /** @description One byte range. Several give the whole file. */
                range?: string;
                /** @description The range holds only for this ETag. */
                "if-range"?: string;
                /** @description ETags; answered only if that of the bytes is one of these, else 412. */
                "if-match"?: string;
                /** @description ETags that the client has; if that of the bytes is one of them, the answer is 304. */
                "if-none-match"?: string;
            };
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Id of the package. */
                packageId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The package, as docs/format.md describes it. */
            200: {
                headers: {
                    /** @description Strong; made from the sha256 of the bytes. */
                    ETag: string;
                    /** @description `bytes`. */
                    "Accept-Ranges": string;
                    /** @description With 206. */
                    "Content-Range"?: string;
                    /** @description 32 hex digits, as in the package itself; of the checkpoint, where the package holds several. */
                    "Firn-Package-Id": string;
                    /** @description Id of the package itself, where it holds several checkpoints. */
                    "Firn-Merged-Package"?: string;
                    /** @description The same as Firn-Merged-Package, under its earlier name. */
                    "Firn-Super-Step"?: string;
                    /** @description Id of the package that a delta needs besides. */
                    "Firn-Ancestor-Package"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /** @example (the bytes, or those of the range) */
                    "application/octet-stream": string;
                };
            };
            /** @description One range of it. */
            206: {
                headers: {
                    /** @description Strong; made from the sha256 of the bytes. */
                    ETag: string;
                    /** @description `bytes`. */
                    "Accept-Ranges": string;
                    /** @description With 206. */
                    "Content-Range"?: string;
                    /** @description 32 hex digits, as in the package itself; of the checkpoint, where the package holds several. */
                    "Firn-Package-Id": string;
                    /** @description Id of the package itself, where it holds several checkpoints. */
                    "Firn-Merged-Package"?: string;
                    /** @description The same as Firn-Merged-Package, under its earlier name. */
                    "Firn-Super-Step"?: string;
                    /** @description Id of the package that a delta needs besides. */
                    "Firn-Ancestor-Package"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /** @example (the bytes, or those of the range) */
                    "application/octet-stream": string;
                };
            };
            /** @description The package has the ETag of If-None-Match. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of the resource does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/conflict",
                     *       "title": "The state of the resource does not allow this",
                     *       "status": 409,
                     *       "code": "conflict",
                     *       "detail": "The repository exists already.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/precondition-failed",
                     *       "title": "A precondition failed",
                     *       "status": 412,
                     *       "code": "precondition-failed",
                     *       "detail": "The file has another ETag than If-Match asks for.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The range lies outside the file. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/range-not-satisfiable",
                     *       "title": "The range lies outside the file",
                     *       "status": 416,
                     *       "code": "range-not-satisfiable",
                     *       "detail": "The byte range lies outside the file.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/corrupt-object",
                     *       "title": "Stored bytes are damaged",
                     *       "status": 500,
                     *       "code": "corrupt-object",
                     *       "detail": "A stored object is damaged, and kept from being read.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    headPackage: {
        parameters: {
            query?: never;
            header?: {
                /** @description One byte range. Several give the whole file. */
                range?: string;
                /** @description The range holds only for this ETag. */
                "if-range"?: string;
                /** @description ETags; answered only if that of the bytes is one of these, else 412. */
                "if-match"?: string;
                /** @description ETags that the client has; if that of the bytes is one of them, the answer is 304. */
                "if-none-match"?: string;
            };
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description Id of the package. */
                packageId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As GET, without the bytes. */
            200: {
                headers: {
                    /** @description Strong; made from the sha256 of the bytes. */
                    ETag: string;
                    /** @description `bytes`. */
                    "Accept-Ranges": string;
                    /** @description With 206. */
                    "Content-Range"?: string;
                    /** @description 32 hex digits, as in the package itself; of the checkpoint, where the package holds several. */
                    "Firn-Package-Id": string;
                    /** @description Id of the package itself, where it holds several checkpoints. */
                    "Firn-Merged-Package"?: string;
                    /** @description The same as Firn-Merged-Package, under its earlier name. */
                    "Firn-Super-Step"?: string;
                    /** @description Id of the package that a delta needs besides. */
                    "Firn-Ancestor-Package"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The package has the ETag of If-None-Match. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of the resource does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/conflict",
                     *       "title": "The state of the resource does not allow this",
                     *       "status": 409,
                     *       "code": "conflict",
                     *       "detail": "The repository exists already.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/precondition-failed",
                     *       "title": "A precondition failed",
                     *       "status": 412,
                     *       "code": "precondition-failed",
                     *       "detail": "The file has another ETag than If-Match asks for.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The range lies outside the file. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/range-not-satisfiable",
                     *       "title": "The range lies outside the file",
                     *       "status": 416,
                     *       "code": "range-not-satisfiable",
                     *       "detail": "The byte range lies outside the file.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/corrupt-object",
                     *       "title": "Stored bytes are damaged",
                     *       "status": 500,
                     *       "code": "corrupt-object",
                     *       "detail": "A stored object is damaged, and kept from being read.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getPull: {
        parameters: {
            query?: {
                /** @description A revision whose packages the client has: those are marked `held`. */
                have?: string;
            };
            header?: never;
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
                /** @description A branch, a run (its newest ready checkpoint), a tag, `step-N`, `run/step-N`, or a revision of 40 hex digits. Slashes may be sent as they are or as %2F. */
                revision: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Files and packages. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pull"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/payload-too-large",
                     *       "title": "The body is too large",
                     *       "status": 413,
                     *       "code": "payload-too-large",
                     *       "detail": "The body is larger than 1 MiB.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/corrupt-object",
                     *       "title": "Stored bytes are damaged",
                     *       "status": 500,
                     *       "code": "corrupt-object",
                     *       "detail": "A stored object is damaged, and kept from being read.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listUsage: {
        parameters: {
            query?: {
                /** @description Most entries to return; 100 by default. */
                limit?: number;
                /** @description `next` of the page before. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page, by name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NamespaceUsageList"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRepositoryUsage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Namespace of the repository. */
                namespace: string;
                /** @description Name of the repository. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description In bytes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Usage"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getQuota: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETags that the client has; if it is one of them, the answer is 304 without a body. */
                "if-none-match"?: string;
                /** @description Answered only if its ETag is one of these. */
                "if-match"?: string;
            };
            path: {
                /** @description Name of the namespace. */
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The limit. */
            200: {
                headers: {
                    /** @description Strong; changes when anything in the answer does. For If-Match and If-None-Match. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QuotaInput"];
                };
            };
            /** @description The client has it already: If-None-Match. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/precondition-failed",
                     *       "title": "A precondition failed",
                     *       "status": 412,
                     *       "code": "precondition-failed",
                     *       "detail": "The file has another ETag than If-Match asks for.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putQuota: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the answer that the change is made from. If anything in it has changed since, nothing is done: 412. Of several clients that change the same at once, one succeeds. */
                "if-match"?: string;
                /** @description Only if there is none yet; else 412. */
                "if-none-match"?: "*";
            };
            path: {
                /** @description Name of the namespace. */
                namespace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QuotaInput"];
            };
        };
        responses: {
            /** @description The limit from now on. */
            200: {
                headers: {
                    /** @description Strong; changes when anything in the answer does. For If-Match and If-None-Match. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QuotaInput"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrives too slowly; what a resumable upload has acknowledged stays. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/body-too-slow",
                     *       "title": "The body arrives too slowly",
                     *       "status": 408,
                     *       "code": "body-too-slow",
                     *       "detail": "The body arrives too slowly.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/precondition-failed",
                     *       "title": "A precondition failed",
                     *       "status": 412,
                     *       "code": "precondition-failed",
                     *       "detail": "The file has another ETag than If-Match asks for.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/payload-too-large",
                     *       "title": "The body is too large",
                     *       "status": 413,
                     *       "code": "payload-too-large",
                     *       "detail": "The body is larger than 1 MiB.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unsupported-media-type",
                     *       "title": "The media type is not supported",
                     *       "status": 415,
                     *       "code": "unsupported-media-type",
                     *       "detail": "The body must be application/json.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listTokens: {
        parameters: {
            query?: {
                /** @description Most entries to return; 100 by default. */
                limit?: number;
                /** @description `next` of the page before. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenList"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TokenInput"];
            };
        };
        responses: {
            /** @description Made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedToken"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrives too slowly; what a resumable upload has acknowledged stays. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/body-too-slow",
                     *       "title": "The body arrives too slowly",
                     *       "status": 408,
                     *       "code": "body-too-slow",
                     *       "detail": "The body arrives too slowly.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/payload-too-large",
                     *       "title": "The body is too large",
                     *       "status": 413,
                     *       "code": "payload-too-large",
                     *       "detail": "The body is larger than 1 MiB.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unsupported-media-type",
                     *       "title": "The media type is not supported",
                     *       "status": 415,
                     *       "code": "unsupported-media-type",
                     *       "detail": "The body must be application/json.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETags that the client has; if it is one of them, the answer is 304 without a body. */
                "if-none-match"?: string;
                /** @description Answered only if its ETag is one of these. */
                "if-match"?: string;
            };
            path: {
                /** @description Id of the token. */
                tokenId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The token. */
            200: {
                headers: {
                    /** @description Strong; changes when anything in the answer does. For If-Match and If-None-Match. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
            /** @description The client has it already: If-None-Match. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/precondition-failed",
                     *       "title": "A precondition failed",
                     *       "status": 412,
                     *       "code": "precondition-failed",
                     *       "detail": "The file has another ETag than If-Match asks for.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the answer that the change is made from. If anything in it has changed since, nothing is done: 412. Of several clients that change the same at once, one succeeds. */
                "if-match"?: string;
            };
            path: {
                /** @description Id of the token. */
                tokenId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoked. */
            200: {
                headers: {
                    /** @description Strong; changes when anything in the answer does. For If-Match and If-None-Match. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/precondition-failed",
                     *       "title": "A precondition failed",
                     *       "status": 412,
                     *       "code": "precondition-failed",
                     *       "detail": "The file has another ETag than If-Match asks for.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getWhoami: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The token, without its secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Whoami"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description Most entries to return; 100 by default. */
                limit?: number;
                /** @description `next` of the page before. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookList"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookInput"];
            };
        };
        responses: {
            /** @description Created; Location names it. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedWebhook"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrives too slowly; what a resumable upload has acknowledged stays. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/body-too-slow",
                     *       "title": "The body arrives too slowly",
                     *       "status": 408,
                     *       "code": "body-too-slow",
                     *       "detail": "The body arrives too slowly.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of the resource does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/conflict",
                     *       "title": "The state of the resource does not allow this",
                     *       "status": 409,
                     *       "code": "conflict",
                     *       "detail": "The repository exists already.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/payload-too-large",
                     *       "title": "The body is too large",
                     *       "status": 413,
                     *       "code": "payload-too-large",
                     *       "detail": "The body is larger than 1 MiB.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unsupported-media-type",
                     *       "title": "The media type is not supported",
                     *       "status": 415,
                     *       "code": "unsupported-media-type",
                     *       "detail": "The body must be application/json.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETags that the client has; if it is one of them, the answer is 304 without a body. */
                "if-none-match"?: string;
                /** @description Answered only if its ETag is one of these. */
                "if-match"?: string;
            };
            path: {
                /** @description Id of the webhook. */
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook. */
            200: {
                headers: {
                    /** @description Strong; changes when anything in the answer does. For If-Match and If-None-Match. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description The client has it already: If-None-Match. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/precondition-failed",
                     *       "title": "A precondition failed",
                     *       "status": 412,
                     *       "code": "precondition-failed",
                     *       "detail": "The file has another ETag than If-Match asks for.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the answer that the change is made from. If anything in it has changed since, nothing is done: 412. Of several clients that change the same at once, one succeeds. */
                "if-match"?: string;
            };
            path: {
                /** @description Id of the webhook. */
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/precondition-failed",
                     *       "title": "A precondition failed",
                     *       "status": 412,
                     *       "code": "precondition-failed",
                     *       "detail": "The file has another ETag than If-Match asks for.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    changeWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the answer that the change is made from. If anything in it has changed since, nothing is done: 412. Of several clients that change the same at once, one succeeds. */
                "if-match"?: string;
            };
            path: {
                /** @description Id of the webhook. */
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookChange"];
            };
        };
        responses: {
            /** @description The webhook as it is now. */
            200: {
                headers: {
                    /** @description Strong; changes when anything in the answer does. For If-Match and If-None-Match. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body arrives too slowly; what a resumable upload has acknowledged stays. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/body-too-slow",
                     *       "title": "The body arrives too slowly",
                     *       "status": 408,
                     *       "code": "body-too-slow",
                     *       "detail": "The body arrives too slowly.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/precondition-failed",
                     *       "title": "A precondition failed",
                     *       "status": 412,
                     *       "code": "precondition-failed",
                     *       "detail": "The file has another ETag than If-Match asks for.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/payload-too-large",
                     *       "title": "The body is too large",
                     *       "status": 413,
                     *       "code": "payload-too-large",
                     *       "detail": "The body is larger than 1 MiB.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unsupported-media-type",
                     *       "title": "The media type is not supported",
                     *       "status": 415,
                     *       "code": "unsupported-media-type",
                     *       "detail": "The body must be application/json.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWebhookMessages: {
        parameters: {
            query?: {
                /** @description Most entries to return; 100 by default. */
                limit?: number;
                /** @description `next` of the page before. */
                after?: string;
            };
            header?: never;
            path: {
                /** @description Id of the webhook. */
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookMessageList"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    pingWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeated within 24 hours with the same path and body, a request that succeeded is not done again but answered as the first time, with `Idempotent-Replayed: true`; with another path or body, or while the first still runs, it is refused with 409. A key belongs to the token it is sent with. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Id of the webhook. */
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is sent within seconds. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookMessage"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of the resource does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/conflict",
                     *       "title": "The state of the resource does not allow this",
                     *       "status": 409,
                     *       "code": "conflict",
                     *       "detail": "The repository exists already.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resendWebhookMessage: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeated within 24 hours with the same path and body, a request that succeeded is not done again but answered as the first time, with `Idempotent-Replayed: true`; with another path or body, or while the first still runs, it is refused with 409. A key belongs to the token it is sent with. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Id of the webhook. */
                webhookId: string;
                /** @description Id of the message. */
                messageId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is sent within seconds. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookMessage"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of the resource does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/conflict",
                     *       "title": "The state of the resource does not allow this",
                     *       "status": 409,
                     *       "code": "conflict",
                     *       "detail": "The repository exists already.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It does. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    "application/json": {
                        /** @enum {string} */
                        status: "ok";
                    };
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It can. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            /** @description It cannot. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Text exposition format. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example # HELP firn_store_seconds Calls of the object store.
                     *     # TYPE firn_store_seconds histogram
                     *     firn_store_seconds_bucket{le="0.001",operation="put"} 12
                     */
                    "text/plain": string;
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token does not allow this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/forbidden",
                     *       "title": "The token does not allow this",
                     *       "status": 403,
                     *       "code": "forbidden",
                     *       "detail": "This needs the scope write.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getOpenApi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OpenAPI 3.1. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "openapi": "3.1.0"
                     *     }
                     */
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getProblemKind: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A problem code. */
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the code means. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProblemKind"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "code": "invalid-request",
                     *       "detail": "The request is not valid. limit: must be a whole number from 1 to 1000.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed: the one that was sent does not hold, or this cannot be done without one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/unauthenticated",
                     *       "title": "A valid token is needed",
                     *       "status": 401,
                     *       "code": "unauthenticated",
                     *       "detail": "The Authorization field holds no token that is valid here. Many such requests from one address block the others with a token from there, too.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "code": "not-found",
                     *       "detail": "There is no such run.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; try again after Retry-After seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "/problems/rate-limited",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "code": "rate-limited",
                     *       "detail": "This client sends too many requests. RateLimit-Policy says how many it may send a minute, Retry-After when to go on.",
                     *       "requestId": "6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    onCheckpointReady: {
        parameters: {
            query?: never;
            header: {
                /** @description The same in every attempt: a message can come twice. */
                "webhook-id": string;
                /** @description When this attempt was made, in seconds since 1970. Refuse what is more than five minutes old. */
                "webhook-timestamp": string;
                /** @description `v1,` and the base64 of HMAC-SHA256 over `webhook-id.webhook-timestamp.body`, with the bytes of the secret after `whsec_`: the scheme of the Standard Webhooks specification. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "checkpoint.ready",
                 *       "timestamp": "2026-01-02T03:04:05.000Z",
                 *       "data": {
                 *         "repository": "acme/lm-small",
                 *         "run": "first",
                 *         "step": 1000,
                 *         "fidelity": "lossy",
                 *         "kind": "delta",
                 *         "rawBytes": 26000000,
                 *         "storedBytes": 1900000,
                 *         "degradation": {
                 *           "loss": 0.0042
                 *         },
                 *         "warnings": []
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    type: "checkpoint.ready";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     */
                    timestamp: string;
                    data: {
                        /** @description `namespace/name`. */
                        repository: string;
                        run: string;
                        step: number;
                        revision?: string;
                        /** @enum {string} */
                        fidelity: "exact" | "lossy";
                        /** @enum {string} */
                        kind: "base" | "delta";
                        /** @description As uploaded. */
                        rawBytes: number;
                        storedBytes: number;
                        /**
                         * @description How much worse each metric got.
                         * @example {
                         *       "loss": 3.21
                         *     }
                         */
                        degradation?: {
                            [key: string]: number | null;
                        };
                        warnings: string[];
                    };
                };
            };
        };
        responses: {
            /** @description Turns the webhook off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Anything else, or nothing within ten seconds, is tried again: nine times. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onCheckpointFailed: {
        parameters: {
            query?: never;
            header: {
                /** @description The same in every attempt: a message can come twice. */
                "webhook-id": string;
                /** @description When this attempt was made, in seconds since 1970. Refuse what is more than five minutes old. */
                "webhook-timestamp": string;
                /** @description `v1,` and the base64 of HMAC-SHA256 over `webhook-id.webhook-timestamp.body`, with the bytes of the secret after `whsec_`: the scheme of the Standard Webhooks specification. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "checkpoint.failed",
                 *       "timestamp": "2026-01-02T03:04:05.000Z",
                 *       "data": {
                 *         "repository": "acme/lm-small",
                 *         "run": "first",
                 *         "step": 1000,
                 *         "error": {
                 *           "code": "eval-crashed",
                 *           "message": "The evaluation process ended unexpectedly."
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    type: "checkpoint.failed";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     */
                    timestamp: string;
                    data: {
                        /** @description `namespace/name`. */
                        repository: string;
                        run: string;
                        step: number;
                        revision?: string;
                        error: {
                            /** @description A problem code. */
                            code: string;
                            message: string;
                        };
                    };
                };
            };
        };
        responses: {
            /** @description Turns the webhook off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Anything else, or nothing within ten seconds, is tried again: nine times. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onCheckpointDamaged: {
        parameters: {
            query?: never;
            header: {
                /** @description The same in every attempt: a message can come twice. */
                "webhook-id": string;
                /** @description When this attempt was made, in seconds since 1970. Refuse what is more than five minutes old. */
                "webhook-timestamp": string;
                /** @description `v1,` and the base64 of HMAC-SHA256 over `webhook-id.webhook-timestamp.body`, with the bytes of the secret after `whsec_`: the scheme of the Standard Webhooks specification. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "checkpoint.damaged",
                 *       "timestamp": "2026-01-02T03:04:05.000Z",
                 *       "data": {
                 *         "repository": "acme/lm-small",
                 *         "checkpoints": [
                 *           {
                 *             "run": "first",
                 *             "step": 1000
                 *           }
                 *         ],
                 *         "count": 1
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    type: "checkpoint.damaged";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     */
                    timestamp: string;
                    data: {
                        /** @description `namespace/name`. */
                        repository: string;
                        /** @description The first hundred that need the bytes. */
                        checkpoints: {
                            run: string;
                            step: number;
                        }[];
                        /** @description How many need them. */
                        count: number;
                    };
                };
            };
        };
        responses: {
            /** @description Turns the webhook off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Anything else, or nothing within ten seconds, is tried again: nine times. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onPing: {
        parameters: {
            query?: never;
            header: {
                /** @description The same in every attempt: a message can come twice. */
                "webhook-id": string;
                /** @description When this attempt was made, in seconds since 1970. Refuse what is more than five minutes old. */
                "webhook-timestamp": string;
                /** @description `v1,` and the base64 of HMAC-SHA256 over `webhook-id.webhook-timestamp.body`, with the bytes of the secret after `whsec_`: the scheme of the Standard Webhooks specification. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "ping",
                 *       "timestamp": "2026-01-02T03:04:05.000Z",
                 *       "data": {
                 *         "webhook": "00112233445566778899aabbccddeeff"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    type: "ping";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     */
                    timestamp: string;
                    data: {
                        /** @description Id of the webhook. */
                        webhook: string;
                    };
                };
            };
        };
        responses: {
            /** @description Turns the webhook off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Anything else, or nothing within ten seconds, is tried again: nine times. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
