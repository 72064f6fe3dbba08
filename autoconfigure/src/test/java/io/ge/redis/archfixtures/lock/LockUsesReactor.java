// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.lock;

import reactor.core.publisher.Mono;

class LockUsesReactor {

	Mono<String> dependency;

}
