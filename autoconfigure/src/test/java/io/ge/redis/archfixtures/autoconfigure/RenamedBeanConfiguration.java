// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.autoconfigure;

import org.springframework.context.annotation.Bean;

class RenamedBeanConfiguration {

	@Bean("planted")
	String geRedisPlanted() {
		return "planted";
	}

}
