// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.core;

import org.springframework.boot.context.properties.ConfigurationProperties;

@ConfigurationProperties("planted")
record CoreProperties(String name) {

}
