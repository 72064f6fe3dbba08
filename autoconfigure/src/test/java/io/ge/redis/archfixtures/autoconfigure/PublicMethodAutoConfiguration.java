// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.autoconfigure;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;

@AutoConfiguration
public final class PublicMethodAutoConfiguration {

	@Bean
	public String planted() {
		return "planted";
	}

}
